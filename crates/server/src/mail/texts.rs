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
    /// Subject of the message for a forgotten password, and its sentence, link and reason.
    pub recovery: &'static str,
    pub recovers: &'static str,
    pub choose_password: &'static str,
    pub why_recovery: &'static str,
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
    pub fn tag(self) -> &'static str {
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

    pub fn is_right_to_left(self) -> bool {
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
                recovery: "Choose a new password",
                recovers: "Somebody asked for a new password of your account. The link works once, for one hour.",
                choose_password: "Choose a new password",
                why_recovery: "You receive this message because somebody entered your address on the sign-in page. If it was not you, ignore it: your password stays as it is.",
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
                recovery: "Neues Passwort wählen",
                recovers: "Für Ihr Konto wurde ein neues Passwort angefordert. Der Link funktioniert einmal, eine Stunde lang.",
                choose_password: "Neues Passwort wählen",
                why_recovery: "Sie erhalten diese Nachricht, weil jemand Ihre Adresse auf der Anmeldeseite eingegeben hat. Wenn Sie das nicht waren, ignorieren Sie sie: Ihr Passwort bleibt unverändert.",
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
                recovery: "Choisir un nouveau mot de passe",
                recovers: "Un nouveau mot de passe a été demandé pour votre compte. Le lien fonctionne une seule fois, pendant une heure.",
                choose_password: "Choisir un nouveau mot de passe",
                why_recovery: "Vous recevez ce message parce que quelqu’un a saisi votre adresse sur la page de connexion. Si ce n’était pas vous, ignorez-le : votre mot de passe reste inchangé.",
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
                recovery: "Elegir una contraseña nueva",
                recovers: "Se ha solicitado una contraseña nueva para su cuenta. El enlace funciona una vez, durante una hora.",
                choose_password: "Elegir una contraseña nueva",
                why_recovery: "Recibe este mensaje porque alguien ha introducido su dirección en la página de inicio de sesión. Si no ha sido usted, ignórelo: su contraseña no cambia.",
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
                recovery: "新しいパスワードの設定",
                recovers: "アカウントの新しいパスワードがリクエストされました。リンクは 1 時間以内に 1 回だけ使用できます。",
                choose_password: "新しいパスワードを設定",
                why_recovery: "このメールは、ログインページであなたのアドレスが入力されたために届いています。心当たりがない場合は無視してください。パスワードは変わりません。",
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
                recovery: "设置新密码",
                recovers: "有人为您的账号请求了新密码。该链接在一小时内有效，只能使用一次。",
                choose_password: "设置新密码",
                why_recovery: "您收到此邮件，是因为有人在登录页面输入了您的地址。如果不是您本人，请忽略：您的密码不会改变。",
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
                recovery: "設定新密碼",
                recovers: "有人為您的帳戶要求新密碼。此連結在一小時內有效，只能使用一次。",
                choose_password: "設定新密碼",
                why_recovery: "您收到這封郵件，是因為有人在登入頁面輸入了您的地址。如果不是您本人，請忽略：您的密碼不會變更。",
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
                recovery: "اختيار كلمة مرور جديدة",
                recovers: "طُلبت كلمة مرور جديدة لحسابك. يعمل الرابط مرة واحدة خلال ساعة.",
                choose_password: "اختيار كلمة مرور جديدة",
                why_recovery: "تصلك هذه الرسالة لأن شخصًا أدخل عنوانك في صفحة تسجيل الدخول. إن لم تكن أنت فتجاهلها: تبقى كلمة المرور كما هي.",
            },
        }
    }
}
