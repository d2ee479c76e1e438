/// What a limited user waits for; selects the sentence.
enum LimitWording: CaseIterable, Sendable {
    /// Another code by message.
    case code
    /// Another guess at a code: too many were wrong.
    case wrongCode
    /// Another guess at a password, when only a new password helps.
    case password
    /// Another mail.
    case mail
    /// Another change.
    case change
    /// Another attempt of any other kind.
    case attempt
}

extension LimitWording {
    /// The sentence that a limited user gets (R-01, D0): how long to wait, and for what. It does
    /// not depend on whether an account exists.
    /// - Parameter milliseconds: the wait; nil if only a reset ends it.
    func sentence(milliseconds: Int64?, in language: LimitLanguage) -> String {
        let sentences = language.sentences
        guard let milliseconds else {
            return self == .password ? sentences.withoutPassword : sentences.withoutEnd
        }
        let sentence =
            switch self {
            case .code: sentences.code
            case .wrongCode: sentences.wrongCode
            case .mail: sentences.mail
            case .change: sentences.change
            case .attempt, .password: sentences.attempt
            }
        let wait = WaitText(milliseconds: milliseconds).text(language)
        return sentence.split(separator: "%", omittingEmptySubsequences: false)
            .joined(separator: wait)
    }
}

/// The sentences of one language; `%` stands for the wait.
private struct Sentences {
    let code: String
    let wrongCode: String
    let mail: String
    let change: String
    let attempt: String
    /// Only an operator can end the wait.
    let withoutEnd: String
    /// Only a new password ends the wait. Does not depend on whether an account exists: an email
    /// without one gets the same answer.
    let withoutPassword: String
    /// Singular and plural of second, minute, hour and day, in the form that follows "wait" in the
    /// sentences.
    let units: [(one: String, many: String)]

    fileprivate static let english = Sentences(
        code: "Please wait % before requesting another code.",
        wrongCode: "Too many incorrect codes. Please wait %.",
        mail: "Please wait % before requesting another email.",
        change: "Please wait % before making another change.",
        attempt: "Too many attempts. Please wait % before trying again.",
        withoutEnd: "Too many attempts. Please contact support.",
        withoutPassword: "Too many attempts. Please set a new password by email.",
        units: [("second", "seconds"), ("minute", "minutes"), ("hour", "hours"), ("day", "days")])

    fileprivate static let german = Sentences(
        code: "Bitte warten Sie %, bevor Sie einen neuen Code anfordern.",
        wrongCode: "Zu viele falsche Codes. Bitte warten Sie %.",
        mail: "Bitte warten Sie %, bevor Sie eine neue E-Mail anfordern.",
        change: "Bitte warten Sie % bis zur nächsten Änderung.",
        attempt: "Zu viele Versuche. Bitte warten Sie %, bevor Sie es erneut versuchen.",
        withoutEnd: "Zu viele Versuche. Bitte wenden Sie sich an den Support.",
        withoutPassword: "Zu viele Versuche. Bitte setzen Sie per E-Mail ein neues Passwort.",
        units: [
            ("Sekunde", "Sekunden"), ("Minute", "Minuten"), ("Stunde", "Stunden"), ("Tag", "Tage"),
        ])

    fileprivate static let spanish = Sentences(
        code: "Espera % antes de solicitar otro código.",
        wrongCode: "Demasiados códigos incorrectos. Espera %.",
        mail: "Espera % antes de solicitar otro correo.",
        change: "Espera % antes de hacer otro cambio.",
        attempt: "Demasiados intentos. Espera % antes de volver a intentarlo.",
        withoutEnd: "Demasiados intentos. Ponte en contacto con el servicio de asistencia.",
        withoutPassword: "Demasiados intentos. Establece una nueva contraseña por correo.",
        units: [("segundo", "segundos"), ("minuto", "minutos"), ("hora", "horas"), ("día", "días")])

    fileprivate static let french = Sentences(
        code: "Veuillez patienter % avant de demander un autre code.",
        wrongCode: "Trop de codes incorrects. Veuillez patienter %.",
        mail: "Veuillez patienter % avant de demander un autre e-mail.",
        change: "Veuillez patienter % avant une autre modification.",
        attempt: "Trop de tentatives. Veuillez patienter % avant de réessayer.",
        withoutEnd: "Trop de tentatives. Veuillez contacter l’assistance.",
        withoutPassword: "Trop de tentatives. Veuillez choisir un nouveau mot de passe par e-mail.",
        units: [
            ("seconde", "secondes"), ("minute", "minutes"), ("heure", "heures"), ("jour", "jours"),
        ])

    fileprivate static let japanese = Sentences(
        code: "次のコードをリクエストするには、あと%お待ちください。",
        wrongCode: "コードの誤りが多すぎます。あと%お待ちください。",
        mail: "次のメールをリクエストするには、あと%お待ちください。",
        change: "次の変更まで、あと%お待ちください。",
        attempt: "試行回数が多すぎます。再試行まで、あと%お待ちください。",
        withoutEnd: "試行回数が多すぎます。サポートにお問い合わせください。",
        withoutPassword: "試行回数が多すぎます。メールで新しいパスワードを設定してください。",
        units: [("秒", "秒"), ("分", "分"), ("時間", "時間"), ("日", "日")])
}

extension LimitLanguage {
    fileprivate var sentences: Sentences {
        switch self {
        case .english: .english
        case .german: .german
        case .spanish: .spanish
        case .french: .french
        case .japanese: .japanese
        }
    }
}

/// A wait as people write it: seconds below a minute, minutes below two hours, hours below two
/// days, then days. Rounded up, so that a user who waits as long as the sentence says is not
/// refused again.
struct WaitText: Hashable {
    enum Unit: Int {
        case second
        case minute
        case hour
        case day
    }

    let count: Int64
    let unit: Unit

    /// A wait of this many milliseconds; at least a second.
    init(milliseconds: Int64) {
        // Rounded without an addition that a long wait could overflow.
        let seconds = max(1, milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0))
        switch seconds {
        case ..<60: (count, unit) = (seconds, .second)
        case ..<7_140: (count, unit) = (Self.up(seconds, 60), .minute)
        case ..<169_200: (count, unit) = (Self.up(seconds, 3_600), .hour)
        default: (count, unit) = (Self.up(seconds, 86_400), .day)
        }
    }

    /// The wait as text.
    func text(_ language: LimitLanguage) -> String {
        let (one, many) = language.sentences.units[unit.rawValue]
        return language == .japanese ? "\(count)\(many)" : "\(count) \(count == 1 ? one : many)"
    }

    private static func up(_ seconds: Int64, _ unit: Int64) -> Int64 {
        seconds / unit + (seconds % unit > 0 ? 1 : 0)
    }
}

/// The languages of the sentences.
enum LimitLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case spanish = "es"
    case french = "fr"
    case japanese = "ja"

    /// The language of a BCP 47 tag, by its first part; English for any other.
    init(tag: String) {
        let primary = tag.prefix(3).prefix { $0 != "-" && $0 != "_" }.lowercased()
        self = Self(rawValue: primary) ?? .english
    }
}
