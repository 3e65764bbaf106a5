{{- define "quadrille.labels" -}}
app.kubernetes.io/name: quadrille
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "quadrille.selector" -}}
app.kubernetes.io/name: quadrille
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
