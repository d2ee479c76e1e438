/// The sentence that a limited user gets (R-01, D0): how long to wait, and for what. It does not
/// depend on whether an account exists.
enum LimitSentence {
    /// - Parameter milliseconds: the wait; nil if only a reset ends it.
    static func text(
        _ wording: LimitWording, milliseconds: Int64?, _ language: LimitLanguage
    ) -> String {
        guard let milliseconds else {
            return wording == .password ? withoutPassword(language) : withoutEnd(language)
        }
        let wait = WaitText(milliseconds: milliseconds).text(language)
        return switch language {
        case .english: english(wording, wait)
        case .german: german(wording, wait)
        case .spanish: spanish(wording, wait)
        case .french: french(wording, wait)
        case .japanese: japanese(wording, wait)
        }
    }

    private static func english(_ wording: LimitWording, _ wait: String) -> String {
        switch wording {
        case .code: "Please wait \(wait) before requesting another code."
        case .wrongCode: "Too many incorrect codes. Please wait \(wait)."
        case .mail: "Please wait \(wait) before requesting another email."
        case .change: "Please wait \(wait) before making another change."
        case .attempt, .password: "Too many attempts. Please wait \(wait) before trying again."
        }
    }

    private static func german(_ wording: LimitWording, _ wait: String) -> String {
        switch wording {
        case .code: "Bitte warten Sie \(wait), bevor Sie einen neuen Code anfordern."
        case .wrongCode: "Zu viele falsche Codes. Bitte warten Sie \(wait)."
        case .mail: "Bitte warten Sie \(wait), bevor Sie eine neue E-Mail anfordern."
        case .change: "Bitte warten Sie \(wait) bis zur nächsten Änderung."
        case .attempt, .password:
            "Zu viele Versuche. Bitte warten Sie \(wait), bevor Sie es erneut versuchen."
        }
    }

    private static func spanish(_ wording: LimitWording, _ wait: String) -> String {
        switch wording {
        case .code: "Espera \(wait) antes de solicitar otro código."
        case .wrongCode: "Demasiados códigos incorrectos. Espera \(wait)."
        case .mail: "Espera \(wait) antes de solicitar otro correo."
        case .change: "Espera \(wait) antes de hacer otro cambio."
        case .attempt, .password:
            "Demasiados intentos. Espera \(wait) antes de volver a intentarlo."
        }
    }

    private static func french(_ wording: LimitWording, _ wait: String) -> String {
        switch wording {
        case .code: "Veuillez patienter \(wait) avant de demander un autre code."
        case .wrongCode: "Trop de codes incorrects. Veuillez patienter \(wait)."
        case .mail: "Veuillez patienter \(wait) avant de demander un autre e-mail."
        case .change: "Veuillez patienter \(wait) avant une autre modification."
        case .attempt, .password:
            "Trop de tentatives. Veuillez patienter \(wait) avant de réessayer."
        }
    }

    private static func japanese(_ wording: LimitWording, _ wait: String) -> String {
        switch wording {
        case .code: "次のコードをリクエストするには、あと\(wait)お待ちください。"
        case .wrongCode: "コードの誤りが多すぎます。あと\(wait)お待ちください。"
        case .mail: "次のメールをリクエストするには、あと\(wait)お待ちください。"
        case .change: "次の変更まで、あと\(wait)お待ちください。"
        case .attempt, .password: "試行回数が多すぎます。再試行まで、あと\(wait)お待ちください。"
        }
    }

    private static func withoutEnd(_ language: LimitLanguage) -> String {
        switch language {
        case .english: "Too many attempts. Please contact support."
        case .german: "Zu viele Versuche. Bitte wenden Sie sich an den Support."
        case .spanish: "Demasiados intentos. Ponte en contacto con el servicio de asistencia."
        case .french: "Trop de tentatives. Veuillez contacter l’assistance."
        case .japanese: "試行回数が多すぎます。サポートにお問い合わせください。"
        }
    }

    /// Does not depend on whether an account exists: an email without one gets the same answer
    ///
    private static func withoutPassword(_ language: LimitLanguage) -> String {
        switch language {
        case .english: "Too many attempts. Please set a new password by email."
        case .german: "Zu viele Versuche. Bitte setzen Sie per E-Mail ein neues Passwort."
        case .spanish: "Demasiados intentos. Establece una nueva contraseña por correo."
        case .french: "Trop de tentatives. Veuillez choisir un nouveau mot de passe par e-mail."
        case .japanese: "試行回数が多すぎます。メールで新しいパスワードを設定してください。"
        }
    }
}
