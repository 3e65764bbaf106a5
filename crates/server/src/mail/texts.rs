//! The sentences of messages, in the languages of the client. Terms are those of
//! `docs/terminology.md`.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The language of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize, Serialize)]
pub enum MailLanguage {
    #[serde(rename = "en")]
    En,
    #[serde(rename = "de")]
    De,
    #[serde(rename = "fr")]
    Fr,
    #[serde(rename = "es")]
    Es,
    #[serde(rename = "ja")]
    Ja,
    #[serde(rename = "zh-Hans")]
    #[value(name = "zh-Hans")]
    ZhHans,
    #[serde(rename = "zh-Hant")]
    #[value(name = "zh-Hant")]
    ZhHant,
    #[serde(rename = "ar")]
    Ar,
}

/// Sentences with the placeholders `{title}` and `{person}`.
pub(super) struct Texts {
    /// Subject of an invitation.
    pub invitation: &'static str,
    pub invited_to_edit: &'static str,
    pub invited_to_comment: &'static str,
    pub invited_to_view: &'static str,
    /// Subject of a request for access.
    pub request: &'static str,
    pub asks: &'static str,
    /// A person without a name.
    pub somebody: &'static str,
    pub open: &'static str,
    /// Why the reader gets this message.
    pub why: &'static str,
}

impl MailLanguage {
    #[cfg(test)]
    pub(super) const ALL: [MailLanguage; 8] = [
        MailLanguage::En,
        MailLanguage::De,
        MailLanguage::Fr,
        MailLanguage::Es,
        MailLanguage::Ja,
        MailLanguage::ZhHans,
        MailLanguage::ZhHant,
        MailLanguage::Ar,
    ];

    /// The language tag (RFC 5646).
    pub(super) fn tag(self) -> &'static str {
        match self {
            MailLanguage::En => "en",
            MailLanguage::De => "de",
            MailLanguage::Fr => "fr",
            MailLanguage::Es => "es",
            MailLanguage::Ja => "ja",
            MailLanguage::ZhHans => "zh-Hans",
            MailLanguage::ZhHant => "zh-Hant",
            MailLanguage::Ar => "ar",
        }
    }

    pub(super) fn is_right_to_left(self) -> bool {
        self == MailLanguage::Ar
    }

    pub(super) fn texts(self) -> &'static Texts {
        match self {
            MailLanguage::En => &Texts {
                invitation: "Workbook shared with you: \"{title}\"",
                invited_to_edit: "{person} has invited you to edit the workbook \"{title}\".",
                invited_to_comment: "{person} has invited you to comment on the workbook \"{title}\".",
                invited_to_view: "{person} has invited you to view the workbook \"{title}\".",
                request: "Request for access: \"{title}\"",
                asks: "{person} asks for access to the workbook \"{title}\". You can answer in the workbook, under Share.",
                somebody: "Somebody",
                open: "Open the workbook",
                why: "You get this message because somebody has entered your address, or because you own this workbook. If you do not expect it, you can ignore it.",
            },
            MailLanguage::De => &Texts {
                invitation: "Arbeitsmappe für Sie freigegeben: „{title}“",
                invited_to_edit: "{person} hat Sie eingeladen, die Arbeitsmappe „{title}“ zu bearbeiten.",
                invited_to_comment: "{person} hat Sie eingeladen, die Arbeitsmappe „{title}“ zu kommentieren.",
                invited_to_view: "{person} hat Sie eingeladen, die Arbeitsmappe „{title}“ anzusehen.",
                request: "Zugriffsanfrage: „{title}“",
                asks: "{person} bittet um Zugriff auf die Arbeitsmappe „{title}“. Sie können in der Arbeitsmappe unter „Freigeben“ antworten.",
                somebody: "Jemand",
                open: "Arbeitsmappe öffnen",
                why: "Sie erhalten diese Nachricht, weil jemand Ihre Adresse eingegeben hat oder weil Ihnen diese Arbeitsmappe gehört. Wenn Sie sie nicht erwarten, können Sie sie ignorieren.",
            },
            MailLanguage::Fr => &Texts {
                invitation: "Classeur partagé avec vous : « {title} »",
                invited_to_edit: "{person} vous invite à modifier le classeur « {title} ».",
                invited_to_comment: "{person} vous invite à commenter le classeur « {title} ».",
                invited_to_view: "{person} vous invite à consulter le classeur « {title} ».",
                request: "Demande d’accès : « {title} »",
                asks: "{person} demande l’accès au classeur « {title} ». Vous pouvez répondre dans le classeur, sous Partager.",
                somebody: "Quelqu’un",
                open: "Ouvrir le classeur",
                why: "Vous recevez ce message parce que quelqu’un a saisi votre adresse ou parce que ce classeur vous appartient. Si vous ne l’attendez pas, vous pouvez l’ignorer.",
            },
            MailLanguage::Es => &Texts {
                invitation: "Libro compartido con usted: «{title}»",
                invited_to_edit: "{person} le ha invitado a editar el libro «{title}».",
                invited_to_comment: "{person} le ha invitado a comentar el libro «{title}».",
                invited_to_view: "{person} le ha invitado a ver el libro «{title}».",
                request: "Solicitud de acceso: «{title}»",
                asks: "{person} solicita acceso al libro «{title}». Puede responder en el libro, en Compartir.",
                somebody: "Alguien",
                open: "Abrir el libro",
                why: "Recibe este mensaje porque alguien ha introducido su dirección o porque este libro es suyo. Si no lo espera, puede ignorarlo.",
            },
            MailLanguage::Ja => &Texts {
                invitation: "ブックが共有されました:「{title}」",
                invited_to_edit: "{person} さんから、ブック「{title}」の編集に招待されました。",
                invited_to_comment: "{person} さんから、ブック「{title}」へのコメントに招待されました。",
                invited_to_view: "{person} さんから、ブック「{title}」の閲覧に招待されました。",
                request: "アクセス権のリクエスト:「{title}」",
                asks: "{person} さんがブック「{title}」へのアクセス権をリクエストしています。ブックの［共有］で返答できます。",
                somebody: "匿名ユーザー",
                open: "ブックを開く",
                why: "このメールは、どなたかがあなたのアドレスを入力したか、あなたがこのブックのオーナーであるために届いています。心当たりがない場合は無視してください。",
            },
            MailLanguage::ZhHans => &Texts {
                invitation: "有人与您共享了工作簿“{title}”",
                invited_to_edit: "{person} 邀请您编辑工作簿“{title}”。",
                invited_to_comment: "{person} 邀请您评论工作簿“{title}”。",
                invited_to_view: "{person} 邀请您查看工作簿“{title}”。",
                request: "访问权限请求：“{title}”",
                asks: "{person} 请求访问工作簿“{title}”。您可以在工作簿的“共享”中答复。",
                somebody: "有人",
                open: "打开工作簿",
                why: "您收到此邮件，是因为有人输入了您的地址，或者您是此工作簿的所有者。如果与您无关，请忽略。",
            },
            MailLanguage::ZhHant => &Texts {
                invitation: "有人與您共用了活頁簿「{title}」",
                invited_to_edit: "{person} 邀請您編輯活頁簿「{title}」。",
                invited_to_comment: "{person} 邀請您在活頁簿「{title}」中加註。",
                invited_to_view: "{person} 邀請您檢視活頁簿「{title}」。",
                request: "存取權要求：「{title}」",
                asks: "{person} 要求存取活頁簿「{title}」。您可以在活頁簿的「共用」中回覆。",
                somebody: "有人",
                open: "開啟活頁簿",
                why: "您收到這封郵件，是因為有人輸入了您的地址，或者您是這個活頁簿的擁有者。如果與您無關，請忽略。",
            },
            MailLanguage::Ar => &Texts {
                invitation: "مصنف تمت مشاركته معك: «{title}»",
                invited_to_edit: "يدعوك {person} إلى تعديل المصنف «{title}».",
                invited_to_comment: "يدعوك {person} إلى التعليق على المصنف «{title}».",
                invited_to_view: "يدعوك {person} إلى عرض المصنف «{title}».",
                request: "طلب وصول: «{title}»",
                asks: "يطلب {person} الوصول إلى المصنف «{title}». يمكنك الرد في المصنف من «مشاركة».",
                somebody: "شخص ما",
                open: "فتح المصنف",
                why: "تصلك هذه الرسالة لأن شخصًا أدخل عنوانك أو لأنك مالك هذا المصنف. إن لم تكن تتوقعها فتجاهلها.",
            },
        }
    }
}
