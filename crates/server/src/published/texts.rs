//! The sentences of published pages, in the languages of the client. Terms are those of
//! `docs/terminology.md`.

use crate::mail::MailLanguage;

/// The sentences of a published page.
pub struct PageTexts {
    /// Label of the tabs.
    pub sheets: &'static str,
    /// Charts are left out because of a limit.
    pub charts: &'static str,
    /// In browsers without scripts.
    pub charts_need_scripts: &'static str,
    pub cut: &'static str,
    pub empty: &'static str,
    /// While changes cannot arrive.
    pub offline: &'static str,
    /// The page was open when publishing was stopped.
    pub stopped: &'static str,
    pub missing: &'static str,
    pub missing_hint: &'static str,
}

/// The sentences of a language.
pub fn texts(language: MailLanguage) -> &'static PageTexts {
    match language {
        MailLanguage::En => &PageTexts {
            sheets: "Sheets",
            charts: "Some charts are not shown because they have too much data.",
            charts_need_scripts: "Charts are shown in browsers with JavaScript only.",
            cut: "Only the first rows and columns are shown.",
            empty: "There is nothing to show.",
            offline: "Connection lost. This page may be out of date.",
            stopped: "This page is no longer published.",
            missing: "This page does not exist.",
            missing_hint: "Check the link, or ask the person who sent it to you for a new one.",
        },
        MailLanguage::De => &PageTexts {
            sheets: "Tabellenblätter",
            charts: "Einige Diagramme werden nicht angezeigt, weil sie zu viele Daten haben.",
            charts_need_scripts: "Diagramme werden nur in Browsern mit JavaScript angezeigt.",
            cut: "Nur die ersten Zeilen und Spalten werden angezeigt.",
            empty: "Es gibt nichts anzuzeigen.",
            offline: "Verbindung unterbrochen. Diese Seite ist möglicherweise nicht aktuell.",
            stopped: "Diese Seite ist nicht mehr veröffentlicht.",
            missing: "Diese Seite existiert nicht.",
            missing_hint: "Prüfen Sie den Link oder bitten Sie die Person, die ihn Ihnen gesendet hat, um einen neuen.",
        },
        MailLanguage::Fr => &PageTexts {
            sheets: "Feuilles",
            charts: "Certains graphiques ne sont pas affichés, car ils ont trop de données.",
            charts_need_scripts: "Les graphiques ne s’affichent que dans les navigateurs avec JavaScript.",
            cut: "Seules les premières lignes et colonnes sont affichées.",
            empty: "Il n’y a rien à afficher.",
            offline: "Connexion perdue. Cette page n’est peut-être pas à jour.",
            stopped: "Cette page n’est plus publiée.",
            missing: "Cette page n’existe pas.",
            missing_hint: "Vérifiez le lien ou demandez-en un nouveau à la personne qui vous l’a envoyé.",
        },
        MailLanguage::Es => &PageTexts {
            sheets: "Hojas",
            charts: "Algunos gráficos no se muestran porque tienen demasiados datos.",
            charts_need_scripts: "Los gráficos solo se muestran en navegadores con JavaScript.",
            cut: "Solo se muestran las primeras filas y columnas.",
            empty: "No hay nada que mostrar.",
            offline: "Se ha perdido la conexión. Es posible que esta página no esté actualizada.",
            stopped: "Esta página ya no está publicada.",
            missing: "Esta página no existe.",
            missing_hint: "Compruebe el enlace o pida uno nuevo a la persona que se lo envió.",
        },
        MailLanguage::Ja => &PageTexts {
            sheets: "シート",
            charts: "データが多すぎるため、一部のグラフは表示されません。",
            charts_need_scripts: "グラフは JavaScript が有効なブラウザーでのみ表示されます。",
            cut: "最初の行と列のみが表示されています。",
            empty: "表示するものがありません。",
            offline: "接続が切れました。このページは最新ではない可能性があります。",
            stopped: "このページは公開されなくなりました。",
            missing: "このページは存在しません。",
            missing_hint: "リンクを確認するか、送信者に新しいリンクを依頼してください。",
        },
        MailLanguage::ZhHans => &PageTexts {
            sheets: "工作表",
            charts: "部分图表因数据过多而未显示。",
            charts_need_scripts: "图表仅在启用 JavaScript 的浏览器中显示。",
            cut: "仅显示前面的行和列。",
            empty: "没有可显示的内容。",
            offline: "连接已断开。此页面可能不是最新的。",
            stopped: "此页面已停止发布。",
            missing: "此页面不存在。",
            missing_hint: "请检查链接,或向发送链接的人索取新链接。",
        },
        MailLanguage::ZhHant => &PageTexts {
            sheets: "工作表",
            charts: "部分圖表因資料過多而未顯示。",
            charts_need_scripts: "圖表僅在啟用 JavaScript 的瀏覽器中顯示。",
            cut: "僅顯示前面的列和欄。",
            empty: "沒有可顯示的內容。",
            offline: "連線已中斷。此頁面可能不是最新的。",
            stopped: "此頁面已停止發布。",
            missing: "此頁面不存在。",
            missing_hint: "請檢查連結,或向傳送連結的人索取新連結。",
        },
        MailLanguage::Ar => &PageTexts {
            sheets: "الأوراق",
            charts: "لا تظهر بعض المخططات لأن بياناتها كثيرة جدًا.",
            charts_need_scripts: "لا تظهر المخططات إلا في المتصفحات التي تدعم JavaScript.",
            cut: "تظهر الصفوف والأعمدة الأولى فقط.",
            empty: "لا يوجد شيء لعرضه.",
            offline: "انقطع الاتصال. قد لا تكون هذه الصفحة محدّثة.",
            stopped: "لم تعد هذه الصفحة منشورة.",
            missing: "هذه الصفحة غير موجودة.",
            missing_hint: "تحقق من الرابط أو اطلب رابطًا جديدًا ممن أرسله إليك.",
        },
    }
}
