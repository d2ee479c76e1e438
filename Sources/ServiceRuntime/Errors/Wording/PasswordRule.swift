/// A requirement on a new password (I-02), checked in Unicode Normalization Form C. The raw values
/// are the rules of `auth/weak-password`'s violations.
package enum PasswordRule: String, CaseIterable, Sendable {
    /// A length within the policy's range.
    case length
    /// An upper-case letter, of any script.
    case upperCase = "upper-case"
    /// A lower-case letter, of any script.
    case lowerCase = "lower-case"
    /// A letter, of any script.
    case letter
    /// A decimal digit.
    case digit
    /// Not a common password.
    case common
    /// Not made of the owner's address or name, or of the app's name.
    case context

    /// The sentence for the user in `language`.
    package func sentence(in language: ErrorLanguage) -> String {
        switch language {
        case .english: english
        case .german: german
        case .spanish: spanish
        case .french: french
        case .japanese: japanese
        }
    }

    private var english: String {
        switch self {
        case .length: "The password is too short or too long."
        case .upperCase: "The password needs an upper-case letter."
        case .lowerCase: "The password needs a lower-case letter."
        case .letter: "The password needs a letter."
        case .digit: "The password needs a digit."
        case .common: "Too many people use this password."
        case .context: "The password must not consist of your name, your email or the app’s name."
        }
    }

    private var german: String {
        switch self {
        case .length: "Das Passwort ist zu kurz oder zu lang."
        case .upperCase: "Das Passwort braucht einen Großbuchstaben."
        case .lowerCase: "Das Passwort braucht einen Kleinbuchstaben."
        case .letter: "Das Passwort braucht einen Buchstaben."
        case .digit: "Das Passwort braucht eine Ziffer."
        case .common: "Zu viele Menschen verwenden dieses Passwort."
        case .context:
            "Das Passwort darf nicht aus Ihrem Namen, Ihrer E-Mail oder dem Namen der App bestehen."
        }
    }

    private var spanish: String {
        switch self {
        case .length: "La contraseña es demasiado corta o demasiado larga."
        case .upperCase: "La contraseña necesita una letra mayúscula."
        case .lowerCase: "La contraseña necesita una letra minúscula."
        case .letter: "La contraseña necesita una letra."
        case .digit: "La contraseña necesita una cifra."
        case .common: "Demasiadas personas usan esta contraseña."
        case .context:
            "La contraseña no debe componerse de su nombre, su correo o el nombre de la aplicación."
        }
    }

    private var french: String {
        switch self {
        case .length: "Le mot de passe est trop court ou trop long."
        case .upperCase: "Le mot de passe doit contenir une majuscule."
        case .lowerCase: "Le mot de passe doit contenir une minuscule."
        case .letter: "Le mot de passe doit contenir une lettre."
        case .digit: "Le mot de passe doit contenir un chiffre."
        case .common: "Trop de personnes utilisent ce mot de passe."
        case .context:
            "Le mot de passe ne doit pas reprendre votre nom, votre e-mail ou le nom de l’application."
        }
    }

    private var japanese: String {
        switch self {
        case .length: "パスワードが短すぎるか、長すぎます。"
        case .upperCase: "パスワードには大文字が必要です。"
        case .lowerCase: "パスワードには小文字が必要です。"
        case .letter: "パスワードには文字が必要です。"
        case .digit: "パスワードには数字が必要です。"
        case .common: "このパスワードは多くの人に使われています。"
        case .context: "お名前、メールアドレス、アプリ名だけのパスワードは使えません。"
        }
    }
}
