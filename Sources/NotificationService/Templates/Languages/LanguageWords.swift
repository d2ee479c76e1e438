/// The texts of one language besides the messages: the format of a time, the names of sign-in
/// methods, the separators of a list.
struct LanguageWords: Sendable {
    /// Joins a date and a time of day, both already formatted.
    let moment: @Sendable (_ day: String, _ time: String) -> String
    /// Formats a date.
    let day: @Sendable (_ year: Int, _ month: Int, _ day: Int) -> String
    /// The name of each sign-in method, as used within a list.
    let methods: [SignInMethod: String]
    /// The separator between items, and the one before the last item.
    let separators: (middle: String, last: String)

    /// Joins a list: "a, b and c".
    func list(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: separators.middle) + separators.last + last
    }

    /// The name of a sign-in method. An unknown one is shown as it is, because a newer caller may
    /// use it.
    func method(_ name: String) -> String {
        SignInMethod(rawValue: name).flatMap { methods[$0] } ?? name
    }
}

/// Sign-in methods, by the names that callers use in `method` and `methods`.
enum SignInMethod: String, CaseIterable, Sendable {
    case password, google, apple, phone, email
    /// A code by mail.
    case code
    /// A device key.
    case device
}

extension Language {
    /// The texts of this language.
    var words: LanguageWords {
        switch self {
        case .english: .english
        case .german: .german
        case .spanish: .spanish
        case .french: .french
        case .japanese: .japanese
        }
    }
}

extension LanguageWords {
    fileprivate static let english = LanguageWords(
        moment: { "\($0), \($1) UTC" },
        day: { "\($2) \(english($1)) \($0)" },
        methods: [
            .password: "password", .google: "Google", .apple: "Apple", .phone: "phone number",
            .email: "email address", .code: "code by email", .device: "device key",
        ],
        separators: (", ", " and "))

    fileprivate static let german = LanguageWords(
        moment: { "\($0), \($1) Uhr (UTC)" },
        day: { "\($2). \(german($1)) \($0)" },
        methods: [
            .password: "Passwort", .google: "Google", .apple: "Apple", .phone: "Telefonnummer",
            .email: "E-Mail-Adresse", .code: "Code per E-Mail", .device: "Geräteschlüssel",
        ],
        separators: (", ", " und "))

    fileprivate static let spanish = LanguageWords(
        moment: { "\($0), \($1) (UTC)" },
        day: { "\($2) de \(spanish($1)) de \($0)" },
        methods: [
            .password: "contraseña", .google: "Google", .apple: "Apple",
            .phone: "número de teléfono", .email: "correo electrónico",
            .code: "código por correo", .device: "clave del dispositivo",
        ],
        separators: (", ", " y "))

    fileprivate static let french = LanguageWords(
        moment: { "\($0) à \($1) (UTC)" },
        day: { "\($2 == 1 ? "1er" : "\($2)") \(french($1)) \($0)" },
        methods: [
            .password: "mot de passe", .google: "Google", .apple: "Apple",
            .phone: "numéro de téléphone", .email: "adresse e-mail",
            .code: "code par e-mail", .device: "clé de l’appareil",
        ],
        separators: (", ", " et "))

    fileprivate static let japanese = LanguageWords(
        moment: { "\($0) \($1)（UTC）" },
        day: { "\($0)年\($1)月\($2)日" },
        methods: [
            .password: "パスワード", .google: "Google", .apple: "Apple", .phone: "電話番号",
            .email: "メールアドレス", .code: "メールのコード", .device: "デバイスキー",
        ],
        separators: ("、", "、"))

    private static func english(_ month: Int) -> String {
        name(
            month,
            "January February March April May June July August September October November December")
    }

    private static func german(_ month: Int) -> String {
        name(
            month,
            "Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
    }

    private static func spanish(_ month: Int) -> String {
        name(
            month,
            """
            enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
            """)
    }

    private static func french(_ month: Int) -> String {
        name(
            month,
            """
            janvier février mars avril mai juin juillet août septembre octobre novembre décembre
            """)
    }

    /// The name of a month, 1 to 12; any other number unchanged.
    private static func name(_ month: Int, _ names: String) -> String {
        let names = names.split(separator: " ")
        return names.indices.contains(month - 1) ? String(names[month - 1]) : "\(month)"
    }
}
