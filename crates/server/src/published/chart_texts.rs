//! The texts of charts on published pages, as in the catalogues of the client.

use serde::Serialize;

use crate::mail::MailLanguage;

/// The texts that `web/published/src/charts.ts` shows. `{name}`, `{names}`, `{number}` and `{series}`
/// stand for texts of the chart.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChartTexts {
    /// Label of a chart without a title, and of one with a title.
    pub chart: &'static str,
    pub named_chart: &'static str,
    /// A series without a name, its trendline and its error bars.
    pub series: &'static str,
    pub trendline: &'static str,
    pub error_bars: &'static str,
    /// The slice of a pie for all small ones.
    pub other: &'static str,
    /// The last step of a waterfall.
    pub total: &'static str,
    /// The five numbers of a box plot, from the least to the greatest.
    pub box_names: [&'static str; 5],
    pub no_numbers: &'static str,
    /// Labels of a map that are no country.
    pub not_on_map: &'static str,
}

/// The texts of a language.
pub fn chart_texts(language: MailLanguage) -> &'static ChartTexts {
    match language {
        MailLanguage::En => &ChartTexts {
            chart: "Chart",
            named_chart: "Chart: {name}",
            series: "Series {number}",
            trendline: "Trendline of {series}",
            error_bars: "Error bars of {series}",
            other: "Other",
            total: "Total",
            box_names: ["Min", "Lower quartile", "Median", "Upper quartile", "Max"],
            no_numbers: "No numbers to show.",
            not_on_map: "Not on the map: {names}",
        },
        MailLanguage::De => &ChartTexts {
            chart: "Diagramm",
            named_chart: "Diagramm: {name}",
            series: "Reihe {number}",
            trendline: "Trendlinie von {series}",
            error_bars: "Fehlerindikatoren von {series}",
            other: "Sonstige",
            total: "Summe",
            box_names: ["Min", "Unteres Quartil", "Median", "Oberes Quartil", "Max"],
            no_numbers: "Keine Zahlen zum Anzeigen.",
            not_on_map: "Nicht auf der Karte: {names}",
        },
        MailLanguage::Fr => &ChartTexts {
            chart: "Graphique",
            named_chart: "Graphique : {name}",
            series: "Série {number}",
            trendline: "Courbe de tendance de {series}",
            error_bars: "Barres d’erreur de {series}",
            other: "Autres",
            total: "Total",
            box_names: ["Min", "Premier quartile", "Médiane", "Troisième quartile", "Max"],
            no_numbers: "Aucun nombre à afficher.",
            not_on_map: "Absents de la carte : {names}",
        },
        MailLanguage::Es => &ChartTexts {
            chart: "Gráfico",
            named_chart: "Gráfico: {name}",
            series: "Serie {number}",
            trendline: "Línea de tendencia de {series}",
            error_bars: "Barras de error de {series}",
            other: "Otros",
            total: "Total",
            box_names: ["Mín", "Primer cuartil", "Mediana", "Tercer cuartil", "Máx"],
            no_numbers: "No hay números que mostrar.",
            not_on_map: "No están en el mapa: {names}",
        },
        MailLanguage::Ja => &ChartTexts {
            chart: "グラフ",
            named_chart: "グラフ: {name}",
            series: "系列 {number}",
            trendline: "{series} の近似曲線",
            error_bars: "{series} の誤差範囲",
            other: "その他",
            total: "合計",
            box_names: ["最小", "第 1 四分位数", "中央値", "第 3 四分位数", "最大"],
            no_numbers: "表示する数値がありません。",
            not_on_map: "地図にないもの: {names}",
        },
        MailLanguage::ZhHans => &ChartTexts {
            chart: "图表",
            named_chart: "图表：{name}",
            series: "系列 {number}",
            trendline: "{series}的趋势线",
            error_bars: "{series} 的误差线",
            other: "其他",
            total: "汇总",
            box_names: ["最小值", "下四分位数", "中位数", "上四分位数", "最大值"],
            no_numbers: "没有可显示的数字。",
            not_on_map: "不在地图上：{names}",
        },
        MailLanguage::ZhHant => &ChartTexts {
            chart: "圖表",
            named_chart: "圖表：{name}",
            series: "數列 {number}",
            trendline: "{series}的趨勢線",
            error_bars: "{series} 的誤差線",
            other: "其他",
            total: "合計",
            box_names: ["最小值", "下四分位數", "中位數", "上四分位數", "最大值"],
            no_numbers: "沒有可顯示的數字。",
            not_on_map: "不在地圖上：{names}",
        },
        MailLanguage::Ar => &ChartTexts {
            chart: "مخطط",
            named_chart: "مخطط: {name}",
            series: "السلسلة {number}",
            trendline: "خط اتجاه {series}",
            error_bars: "أشرطة الخطأ لـ {series}",
            other: "أخرى",
            total: "الإجمالي",
            box_names: ["الأدنى", "الربيع الأدنى", "الوسيط", "الربيع الأعلى", "الأقصى"],
            no_numbers: "لا توجد أرقام لعرضها.",
            not_on_map: "ليست على الخريطة: {names}",
        },
    }
}
