import ServiceRuntime
import Testing
import Texts

@Suite("X-01: the catalogue's sentences in five languages")
struct ErrorWordingTests {
    /// Without formal voices, which differ in some sentences only.
    private static let languages = Language.allCases.map { Voice($0) }

    /// A phone shows two lines of this length. Japanese takes three bytes a character.
    private static let charactersMax = 120

    @Test(
        "X-01: a sentence ends with a full stop, fits and needs no escaping in JSON",
        arguments: ErrorCode.allCases, Voice.allCases)
    func sentence(code: ErrorCode, voice: Voice) {
        let text = code.sentence(in: voice)
        #expect(text.hasSuffix(voice.language == .japanese ? "。" : "."))
        #expect((4...Self.charactersMax).contains(text.count), "\(text)")
        #expect(!text.contains { $0 == "\"" || $0 == "\\" || $0.isNewline })
        #expect(!text.contains("  ") && text.first?.isWhitespace == false)
    }

    @Test("X-01: no sentence is left untranslated", arguments: ErrorCode.allCases)
    func translated(code: ErrorCode) {
        let texts = Self.languages.map { code.sentence(in: $0) }
        #expect(Set(texts).count == texts.count, "\(code.rawValue)")
    }

    @Test(
        "X-01: Japanese sentences have no Latin letters except in names",
        arguments: ErrorCode.allCases)
    func japanese(code: ErrorCode) {
        var text = code.sentence(in: Voice(.japanese))
        for name in ["Apple", "Google"] { text.replace(name, with: "") }
        #expect(!text.unicodeScalars.contains { $0.value < 0x250 && $0.properties.isAlphabetic })
    }

    /// Words that only the other voice of a language uses. "Sie" is also the plural, and "su" also
    /// means "its".
    private static let wrongWords: [Voice: Set<String>] = [
        Voice(.german): ["Ihnen", "Ihr", "Ihre", "Ihrem", "Ihren", "Ihrer", "Ihres"],
        Voice(.german, isFormal: true): [
            "du", "Du", "dich", "dir", "dein", "Dein", "deine", "Deine", "deinem", "deinen",
        ],
        Voice(.spanish): ["usted", "Espere", "Póngase", "Vuelva", "Inténtelo", "Inicie", "cambie"],
        Voice(.spanish, isFormal: true): [
            "tú", "tu", "Tu", "tus", "Tus", "te", "Te", "Espera", "Vuelve", "ponte",
        ],
        Voice(.french): ["tu", "te", "ton", "ta", "tes", "toi"],
    ]

    @Test("X-01: each language has one voice in all files of Texts", arguments: wrongWords.keys)
    func words(voice: Voice) {
        let wrong = Self.wrongWords[voice] ?? []
        let paths = Texts.paths.filter { $0.contains(".\(voice.tag).") }
        #expect(paths.count > 5)
        for path in paths {
            for line in (Texts.file(path) ?? "").split(separator: "\n") {
                let words = line.split { !$0.isLetter }.map(String.init)
                #expect(wrong.isDisjoint(with: words), "\(path): \(line)")
            }
        }
    }

    @Test("X-01: a formal voice has only sentences that differ, and none of an unknown key")
    func formalFiles() {
        for voice in Voice.allCases.filter(\.isFormal) {
            let keys = (Texts.file("error/errors.\(voice.tag).txt") ?? "")
                .split(separator: "\n").map { String($0.prefix { $0 != ":" }) }
            #expect(keys.count > 20)
            for key in keys {
                let plain = Voice(voice.language).sentence(key)
                #expect(!plain.isEmpty && plain != voice.sentence(key), "\(key)")
            }
        }
        #expect(
            ErrorCode.unknownMethod.sentence(in: Voice(.german, isFormal: true)).hasPrefix(
                "Das steht hier"))
    }

    @Test("X-01: every file has the same keys", arguments: languages)
    func keys(voice: Voice) {
        func keys(_ name: String) -> [Substring] {
            (Texts.file("error/errors.\(name).txt") ?? "").split(separator: "\n")
                .map { $0.prefix { $0 != ":" } }
        }
        #expect(keys(voice.tag) == keys("en"))
        #expect(Set(keys(voice.tag)).count == keys("en").count)
    }

    @Test("X-01: what is not allowed is not only a way to sign in", arguments: Voice.allCases)
    func operation(voice: Voice) {
        let text = ErrorCode.operationNotAllowed.sentence(in: voice).lowercased()
        for word in ["sign", "anmeld", "sesión", "connexion", "ログイン"] {
            #expect(!text.contains(word), "\(text)")
        }
    }

    @Test(
        "I-07: a repeat of a document that is too large is not proposed", arguments: Voice.allCases)
    func document(voice: Voice) {
        let text = DocumentViolation.json.sentence(in: voice).lowercased()
        for word in ["again", "noch einmal", "de nuevo", "réessayer", "もう一度"] {
            #expect(!text.contains(word), "\(text)")
        }
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
        Voice.allCases)
    func discreet(code: ErrorCode, voice: Voice) {
        let text = code.sentence(in: voice).lowercased()
        for word in ["account", "konto", "cuenta", "compte", "アカウント"] {
            #expect(!text.contains(word), "\(text)")
        }
    }

    @Test(
        "X-02: one sentence names both parts of a credential",
        arguments: [
            (Language.english, ["email", "password"]), (.german, ["e-mail", "passwort"]),
            (.spanish, ["correo", "contraseña"]), (.french, ["e-mail", "mot de passe"]),
            (.japanese, ["メール", "パスワード"]),
        ])
    func bothHalves(language: Language, halves: [String]) {
        let text = ErrorCode.invalidCredential.sentence(in: Voice(language)).lowercased()
        #expect(halves.allSatisfy(text.contains))
    }

    @Test("X-01: an error gets the catalogue's sentence unless it has its own")
    func worded() {
        let plain = ServiceError(.invalidLink, fields: ["token"])
        #expect(plain.worded(in: .english) == plain)
        #expect(
            plain.worded(in: Voice(.german)).sentence
                == "Dieser Link ist abgelaufen oder wurde bereits verwendet.")
        #expect(plain.worded(in: Voice(.german)).fields == ["token"])
        var own = ServiceError(.tooManyRequests)
        own.sentence = "Please wait 5 minutes."
        #expect(own.worded(in: Voice(.french)) == own)
    }

    @Test("X-01: the violated rules of a password get sentences, and other fields none")
    func wordedRules() {
        var error = ServiceError.weakPassword([.length, .common], field: "new_password")
        error.violations.append(.init(field: "device.platform"))
        #expect(
            error.worded(in: Voice(.spanish)).violations.map(\.userMessage) == [
                PasswordRule.length.sentence(in: Voice(.spanish)),
                PasswordRule.common.sentence(in: Voice(.spanish)), "",
            ])
        #expect(
            error.violations.map(\.userMessage) == [
                PasswordRule.length.sentence(in: .english),
                PasswordRule.common.sentence(in: .english), "",
            ])
    }

    @Test("X-01: a reason for a developer stays in English, and is no sentence of a rule")
    func wordedReason() {
        let error = ServiceError.invalidArgument("client-address", "Send one address.")
        #expect(error.code == .invalidArgument && error.fields == ["client-address"])
        let german = error.worded(in: Voice(.german))
        #expect(german.violations == error.violations)
        #expect(german.violations.map(\.userMessage) == ["Send one address."])
        #expect(german.violations.map(\.rule) == [""])
    }

    @Test("X-01: the rule that a phone number breaks gets a sentence")
    func wordedNumber() {
        for rule in PhoneNumberRule.allCases {
            let error = ServiceError.invalidPhoneNumber(rule)
            #expect(error.code == .invalidPhoneNumber && error.fields == ["phone_number"])
            #expect(error.violations.map(\.userMessage) == [rule.sentence(in: .english)])
            #expect(
                error.worded(in: Voice(.german)).violations.map(\.userMessage)
                    == [rule.sentence(in: Voice(.german))])
        }
        #expect(PhoneNumberRule.trunkPrefix.sentence(in: .english).contains("usually a 0"))
    }

    @Test(
        "G-29: each end of a session has a sentence of its own, which replaces the code's",
        arguments: EndReason.allCases, Voice.allCases)
    func wordedEnd(reason: EndReason, voice: Voice) {
        let error = ServiceError.sessionEnded(reason).worded(in: voice)
        #expect(error.code == .sessionEnded)
        #expect(error.userMessage == reason.sentence(in: voice))
        #expect(error.violations.map(\.rule) == [reason.rule])
        #expect(!error.userMessage.isEmpty)
        let plain = ServiceError.sessionEnded(nil).worded(in: voice)
        #expect(plain.userMessage == ErrorCode.sessionEnded.sentence(in: voice))
        #expect(plain.violations.isEmpty && plain.userMessage != error.userMessage)
    }

    @Test("G-29: an end's rule, which apps compare, is its name in kebab case")
    func endRules() {
        #expect(
            EndReason.allCases.map(\.rule) == [
                "signed-out", "inactive", "maximum-age", "displaced", "replayed", "security",
                "revoked", "provider-revoked", "account-deleted",
            ])
    }

    @Test("G-29: only a session's end is worded by a reason")
    func otherCode() {
        var error = ServiceError(.invalidRefreshToken)
        error.violations = [.init(field: "session", rule: "account-deleted")]
        #expect(error.userMessage == ErrorCode.invalidRefreshToken.sentence(in: .english))
    }

    @Test("G-12: the account's own address has a sentence, which replaces the code's")
    func wordedAddress() {
        let error = ServiceError.ownAddress(field: "new_email")
        #expect(error.code == .invalidEmail && error.fields == ["new_email"])
        #expect(error.userMessage == EmailRule.ownAddress.sentence(in: .english))
        #expect(
            error.worded(in: Voice(.german)).userMessage
                == EmailRule.ownAddress.sentence(in: Voice(.german)))
    }

    /// The names of all rules, which a violation's sentence is found by.
    private static let rules =
        PasswordRule.allCases.map(\.rawValue) + PhoneNumberRule.allCases.map(\.rawValue)
        + DocumentViolation.allCases.map(\.rawValue) + PhotoRule.allCases.map(\.rawValue)
        + EndReason.allCases.map(\.rule) + AcceptanceRule.allCases.map(\.rawValue)
        + EmailRule.allCases.map(\.rawValue)

    @Test("X-01: no two rules have one name")
    func ruleNames() {
        #expect(Set(Self.rules).count == Self.rules.count)
    }

    @Test(
        "X-01: a rule's sentence ends with a full stop, fits and needs no escaping in JSON",
        arguments: rules, Voice.allCases)
    func rule(rule: String, voice: Voice) throws {
        let text = try #require(voice.sentence(aboutRule: rule))
        #expect(text.hasSuffix(voice.language == .japanese ? "。" : "."))
        #expect((4...Self.charactersMax).contains(text.count), "\(text)")
        #expect(!text.contains { $0 == "\"" || $0 == "\\" || $0.isNewline })
    }

    @Test("X-01: no rule's sentence is left untranslated", arguments: rules)
    func translated(rule: String) {
        let texts = Self.languages.map { $0.sentence(aboutRule: rule) }
        #expect(Set(texts).count == texts.count, "\(rule)")
    }
}

@Suite("X-01: the language is chosen from Accept-Language")
struct AcceptedLanguagesTests {
    @Test(
        "RFC 9110, 12.5.4: the most preferred of the available languages is chosen",
        arguments: [
            ("de", Voice(.german)), ("de-CH", Voice(.german)), ("DE_at", Voice(.german)),
            ("de-formal", Voice(.german, isFormal: true)), ("fr-formal", Voice(.french)),
            ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", Voice(.french)),
            ("en;q=0.5,ja", Voice(.japanese)), ("ja;q=0.5,es;q=0.501", Voice(.spanish)),
            ("it,pt;q=0.9,es;q=0.1", Voice(.spanish)), ("es;q=1.000,fr;q=1", Voice(.spanish)),
            ("de ; q=0.2 , fr ; Q=0.3", Voice(.french)), ("en-GB", .english),
        ])
    func best(text: String, voice: Voice) {
        #expect(AcceptedLanguages(text).best == voice)
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
