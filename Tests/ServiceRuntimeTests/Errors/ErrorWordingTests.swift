import ServiceRuntime
import Testing

@Suite("X-01: the catalogue's sentences in five languages")
struct ErrorWordingTests {
    /// A phone shows two lines of this length. Japanese takes three bytes a character.
    private static let charactersMax = 120

    @Test(
        "X-01: a sentence ends with a full stop, fits and needs no escaping in JSON",
        arguments: ErrorCode.allCases, ErrorLanguage.allCases)
    func sentence(code: ErrorCode, language: ErrorLanguage) {
        let text = code.sentence(in: language)
        #expect(text.hasSuffix(language == .japanese ? "。" : "."))
        #expect((4...Self.charactersMax).contains(text.count), "\(text)")
        #expect(!text.contains { $0 == "\"" || $0 == "\\" || $0.isNewline })
        #expect(!text.contains("  ") && text.first?.isWhitespace == false)
    }

    @Test("X-01: no sentence is left untranslated", arguments: ErrorCode.allCases)
    func translated(code: ErrorCode) {
        let texts = ErrorLanguage.allCases.map { code.sentence(in: $0) }
        #expect(Set(texts).count == texts.count, "\(code.rawValue)")
    }

    @Test(
        "X-01: Japanese sentences have no Latin letters except in names",
        arguments: ErrorCode.allCases)
    func japanese(code: ErrorCode) {
        var text = code.sentence(in: .japanese)
        for name in ["Apple", "Google"] { text.replace(name, with: "") }
        #expect(!text.unicodeScalars.contains { $0.value < 0x250 && $0.properties.isAlphabetic })
    }

    @Test("X-01: sentences address people formally", arguments: ErrorCode.allCases)
    func formal(code: ErrorCode) {
        func words(_ language: ErrorLanguage) -> Set<String> {
            Set(
                code.sentence(in: language).lowercased().split { !$0.isLetter }.map(String.init))
        }
        #expect(words(.german).isDisjoint(with: ["du", "dich", "dir", "dein", "deine", "deinem"]))
        #expect(words(.spanish).isDisjoint(with: ["tú", "tu", "tus", "te", "espera", "ponte"]))
        #expect(words(.french).isDisjoint(with: ["tu", "te", "ton", "ta", "tes", "toi"]))
    }

    /// Codes that a stranger can provoke with someone else's address or number, without a proof.
    /// `auth/email-already-in-use` is returned only under friendly enumeration.
    private static let provoked: [ErrorCode] = [
        .invalidCredential, .invalidCode, .codeExpired, .invalidLink, .tooManyRequests,
        .invalidEmail, .invalidPhoneNumber, .phoneCountryNotAllowed,
    ]

    @Test(
        "X-02: sentences that a stranger can provoke do not mention an account",
        arguments: provoked,
        ErrorLanguage.allCases)
    func discreet(code: ErrorCode, language: ErrorLanguage) {
        let text = code.sentence(in: language).lowercased()
        for word in ["account", "konto", "cuenta", "compte", "アカウント"] {
            #expect(!text.contains(word), "\(text)")
        }
    }

    @Test(
        "X-02: one sentence names both parts of a credential",
        arguments: [
            (ErrorLanguage.english, ["email", "password"]), (.german, ["e-mail", "passwort"]),
            (.spanish, ["correo", "contraseña"]), (.french, ["e-mail", "mot de passe"]),
            (.japanese, ["メール", "パスワード"]),
        ])
    func bothHalves(language: ErrorLanguage, halves: [String]) {
        let text = ErrorCode.invalidCredential.sentence(in: language).lowercased()
        #expect(halves.allSatisfy(text.contains))
    }

    @Test("X-01: an error gets the catalogue's sentence unless it has its own")
    func worded() {
        let plain = ServiceError(.invalidLink, fields: ["token"])
        #expect(plain.worded(in: .english) == plain)
        #expect(
            plain.worded(in: .german).sentence
                == "Dieser Link ist abgelaufen oder wurde bereits verwendet.")
        #expect(plain.worded(in: .german).fields == ["token"])
        var own = ServiceError(.tooManyRequests)
        own.sentence = "Please wait 5 minutes."
        #expect(own.worded(in: .french) == own)
    }

    @Test("X-01: the violated rules of a password get sentences, and other fields none")
    func wordedRules() {
        var error = ServiceError.weakPassword([.length, .common], field: "new_password")
        error.violations.append(.init(field: "device.platform"))
        #expect(
            error.worded(in: .spanish).violations.map(\.userMessage) == [
                PasswordRule.length.sentence(in: .spanish),
                PasswordRule.common.sentence(in: .spanish), "",
            ])
        #expect(
            error.violations.map(\.userMessage) == [
                PasswordRule.length.sentence(in: .english),
                PasswordRule.common.sentence(in: .english), "",
            ])
    }

    @Test(
        "X-01: a rule's sentence ends with a full stop, fits and needs no escaping in JSON",
        arguments: PasswordRule.allCases, ErrorLanguage.allCases)
    func rule(rule: PasswordRule, language: ErrorLanguage) {
        let text = rule.sentence(in: language)
        #expect(text.hasSuffix(language == .japanese ? "。" : "."))
        #expect((4...Self.charactersMax).contains(text.count), "\(text)")
        #expect(!text.contains { $0 == "\"" || $0 == "\\" || $0.isNewline })
    }

    @Test("X-01: no rule's sentence is left untranslated", arguments: PasswordRule.allCases)
    func translated(rule: PasswordRule) {
        let texts = ErrorLanguage.allCases.map { rule.sentence(in: $0) }
        #expect(Set(texts).count == texts.count, "\(rule.rawValue)")
    }
}

@Suite("X-01: the language is chosen from Accept-Language")
struct AcceptedLanguagesTests {
    @Test(
        "RFC 9110, 12.5.4: the most preferred of the available languages is chosen",
        arguments: [
            ("de", ErrorLanguage.german), ("de-CH", .german), ("DE_at", .german),
            ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", .french),
            ("en;q=0.5,ja", .japanese), ("ja;q=0.5,es;q=0.501", .spanish),
            ("it,pt;q=0.9,es;q=0.1", .spanish), ("es;q=1.000,fr;q=1", .spanish),
            ("de ; q=0.2 , fr ; Q=0.3", .french), ("en-GB", .english),
        ])
    func best(text: String, language: ErrorLanguage) {
        #expect(AcceptedLanguages(text).best == language)
    }

    @Test(
        "an unusable Accept-Language gives no language",
        arguments: [
            "", ",", ";q=1", "*", "it", "deutsch", "de;q=0", "de;q=0.000", "de;q=2", "de;q=",
            "de;q=-1", "de;q=0.1234", "de;q=1.1.1", "de;x=1", "de;q=٣", "d", "-de", "q=1",
            String(repeating: "de,", count: 200),
            String(repeating: "it,", count: 16) + "de",
        ])
    func none(text: String) {
        #expect(AcceptedLanguages(text).best == nil)
    }
}
