/// The languages of our texts. To add one: a case, its `Words`, and its files in
/// `Sources/Texts`. A missing file fails `TemplateCatalogueTests`.
package enum Language: String, CaseIterable, Sendable {
    /// English.
    case english = "en"
    /// German; addresses readers with "du", or with "Sie" by the setting `formal-languages`.
    case german = "de"
    /// Spanish; addresses readers with "tú", or with "usted" by the setting.
    case spanish = "es"
    /// French; addresses readers with "vous".
    case french = "fr"
    /// Japanese, in the polite form.
    case japanese = "ja"

    /// The language for a reader with the language tag `tag`.
    ///
    /// Look-up as in RFC 4647, 3.4: the tag, shortened subtag by subtag from its end (`de-Latn-AT`,
    /// `de-Latn`, `de`), then the default.
    /// - Parameters:
    ///   - tag: BCP 47, in any case; may be empty.
    ///   - standard: the operator's default.
    package init(for tag: String, default standard: Language) {
        var parts = tag.lowercased().split(separator: "-")
        while !parts.isEmpty {
            if let language = Language(rawValue: parts.joined(separator: "-")) {
                self = language
                return
            }
            parts.removeLast()
            // A single letter starts an extension and is meaningless without what follows.
            if parts.last?.utf8.count == 1 { parts.removeLast() }
        }
        self = standard
    }

    /// The `dir` attribute in HTML: all languages are written from left to right.
    var direction: String { "ltr" }
}

extension Language {
    /// The texts of one language besides the messages: the format of a time, the names of sign-in
    /// methods, the separators of a list.
    struct Words: Sendable {
        /// Joins a date and a time of day, both already formatted.
        let moment: @Sendable (_ day: String, _ time: String) -> String
        /// Formats a date.
        let day: @Sendable (_ year: Int, _ month: Int, _ day: Int) -> String
        /// The name of each sign-in method, as used within a list.
        let methods: [SignInMethod: String]
        /// Formats a number of hours, and of minutes.
        let hours: @Sendable (Int) -> String
        let minutes: @Sendable (Int) -> String
        /// The separator between items, and the one before the last item.
        let separators: (middle: String, last: String)

        /// Joins a list: "a, b and c".
        func list(_ items: [String]) -> String {
            guard let last = items.last, items.count > 1 else { return items.first ?? "" }
            return items.dropLast().joined(separator: separators.middle) + separators.last + last
        }

        /// A span of time: whole hours, otherwise minutes.
        func span(ofMinutes count: Int) -> String {
            count > 0 && count.isMultiple(of: 60) ? hours(count / 60) : minutes(count)
        }

        /// The name of a sign-in method. An unknown one is shown as it is, because a newer caller
        /// may use it.
        func method(_ name: String) -> String {
            SignInMethod(rawValue: name).flatMap { methods[$0] } ?? name
        }
    }

    /// The texts of this language.
    var words: Words {
        switch self {
        case .english: .english
        case .german: .german
        case .spanish: .spanish
        case .french: .french
        case .japanese: .japanese
        }
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

extension Language.Words {
    fileprivate static let english = Language.Words(
        moment: { "\($0), \($1) UTC" },
        day: { "\($2) \(english($1)) \($0)" },
        methods: [
            .password: "password", .google: "Google", .apple: "Apple", .phone: "phone number",
            .email: "email address", .code: "code by email", .device: "device key",
        ],
        hours: { $0 == 1 ? "1 hour" : "\($0) hours" },
        minutes: { $0 == 1 ? "1 minute" : "\($0) minutes" },
        separators: (", ", " and "))

    fileprivate static let german = Language.Words(
        moment: { "\($0), \($1) Uhr (UTC)" },
        day: { "\($2). \(german($1)) \($0)" },
        methods: [
            .password: "Passwort", .google: "Google", .apple: "Apple", .phone: "Telefonnummer",
            .email: "E-Mail-Adresse", .code: "Code per E-Mail", .device: "Geräteschlüssel",
        ],
        hours: { $0 == 1 ? "1 Stunde" : "\($0) Stunden" },
        minutes: { $0 == 1 ? "1 Minute" : "\($0) Minuten" },
        separators: (", ", " und "))

    fileprivate static let spanish = Language.Words(
        moment: { "\($0), \($1) (UTC)" },
        day: { "\($2) de \(spanish($1)) de \($0)" },
        methods: [
            .password: "contraseña", .google: "Google", .apple: "Apple",
            .phone: "número de teléfono", .email: "correo electrónico",
            .code: "código por correo", .device: "clave del dispositivo",
        ],
        hours: { $0 == 1 ? "1 hora" : "\($0) horas" },
        minutes: { $0 == 1 ? "1 minuto" : "\($0) minutos" },
        separators: (", ", " y "))

    fileprivate static let french = Language.Words(
        moment: { "\($0) à \($1) (UTC)" },
        day: { "\($2 == 1 ? "1er" : "\($2)") \(french($1)) \($0)" },
        methods: [
            .password: "mot de passe", .google: "Google", .apple: "Apple",
            .phone: "numéro de téléphone", .email: "adresse e-mail",
            .code: "code par e-mail", .device: "clé de l’appareil",
        ],
        hours: { $0 == 1 ? "1 heure" : "\($0) heures" },
        minutes: { $0 == 1 ? "1 minute" : "\($0) minutes" },
        separators: (", ", " et "))

    fileprivate static let japanese = Language.Words(
        moment: { "\($0) \($1)（UTC）" },
        day: { "\($0)年\($1)月\($2)日" },
        methods: [
            .password: "パスワード", .google: "Google", .apple: "Apple", .phone: "電話番号",
            .email: "メールアドレス", .code: "メールのコード", .device: "デバイスキー",
        ],
        hours: { "\($0)時間" },
        minutes: { "\($0)分" },
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

extension Language {
    /// A time as callers send it, `2026-01-31 09:05 UTC` or `2026-01-31`, in this language's
    /// format. The time zone is always shown, because the reader's is not known. Nil for any other
    /// format.
    func text(ofMoment text: String) -> String? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let date = parts.first, parts.count == 1 || parts.count == 3 else { return nil }
        let numbers = Self.numbers(date, "-")
        guard date.utf8.count == 10, numbers.count == 3, (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2])
        else { return nil }
        let day = words.day(numbers[0], numbers[1], numbers[2])
        guard parts.count == 3 else { return day }
        let clock = Self.numbers(parts[1], ":")
        guard parts[2] == "UTC", parts[1].utf8.count == 5, clock.count == 2,
            (0...23).contains(clock[0]), (0...59).contains(clock[1])
        else { return nil }
        return words.moment(day, String(parts[1]))
    }

    /// Empty if one of the parts is not a number.
    private static func numbers(_ text: Substring, _ separator: Character) -> [Int] {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.allSatisfy { ("0"..."9").contains($0) } ? Int(part) : nil
        }
        return numbers.count == parts.count ? numbers : []
    }
}
