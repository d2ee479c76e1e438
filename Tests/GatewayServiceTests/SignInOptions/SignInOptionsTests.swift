import Contracts
import Cryptography
import IdentityService
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-26: what a sign-in screen shows before anybody has typed", .timeLimit(.minutes(1)))
struct SignInOptionsTests {
    private static func options(
        _ fixture: GatewayFixture, language: String? = nil
    ) async throws -> GatewayV1.GetSignInOptionsResponse {
        try await fixture.options.getSignInOptions(.init(), fixture.context(language: language))
    }

    @Test("G-26: without providers and phones there are passwords and guests")
    func least() async throws {
        let fixture = try await GatewayFixture(phone: PhoneSettings())
        let options = try await Self.options(fixture)
        let password = try #require(options.password)
        #expect(!password.emailVerificationRequired)
        #expect(
            password.rules.map(\.rule) == [
                "length", "upper-case", "lower-case", "digit", "common", "context",
            ])
        #expect(password.rules.first?.minimum == 8 && password.rules.first?.maximum == 128)
        #expect(options.phone == nil && options.providers.isEmpty && options.guests)
        #expect(options.recoveryMethods == [.emailLink])
    }

    @Test("G-26: countries, providers and required verification are as the operator has set them")
    func configured() async throws {
        let fixture = try await GatewayFixture(
            providers: [
                "--google-audiences=web.example,ios.example", "--apple-audiences=com.example.app",
                "--apple-nonce=optional",
            ], phone: PhoneSettings(countries: ["us", "DE"]), verification: .required)
        let options = try await Self.options(fixture)
        #expect(options.password?.emailVerificationRequired == true)
        #expect(options.phone == .init(countries: ["DE", "US"]))
        #expect(
            options.providers == [
                .init(
                    name: "google", issuer: "https://accounts.google.com",
                    clientIds: ["ios.example", "web.example"], nonceRequired: true,
                    recoveryUrl: "https://accounts.google.com/signin/recovery"),
                .init(
                    name: "apple", issuer: "https://appleid.apple.com",
                    clientIds: ["com.example.app"], recoveryUrl: "https://iforgot.apple.com/"),
            ])
        #expect(options.recoveryMethods == [.emailLink, .phoneCode, .provider])
        let all = try await GatewayFixture(phone: PhoneSettings(countries: ["all"]))
        #expect(try await Self.options(all).phone == .init(allCountries: true))
    }

    @Test("G-36: an app gets the ways that it has; what another application hides stays")
    func app() async throws {
        let fixture = try await GatewayFixture(providers: ["--google-audiences=web.example"])
        func options(
            _ without: String, as application: String = "web"
        ) async throws -> GatewayV1.GetSignInOptionsResponse {
            var context = fixture.context(application: application)
            context.metadata[Metadata.Key.appWithout] = without
            return try await fixture.options.getSignInOptions(.init(), context)
        }
        let all = try await options("")
        #expect(all.password != nil && all.phone != nil && all.passkeys != nil && all.guests)
        #expect(all.providers.count == 1)
        #expect(try await options("password,guests,phone,providers", as: "app") == all)
        #expect(try await options("sign-up,haiku") == all)
        let bare = try await options("password,guests,phone,providers,passkeys")
        #expect(bare.password == nil && bare.phone == nil && bare.passkeys == nil && !bare.guests)
        #expect(bare.providers.isEmpty && bare.recoveryMethods.isEmpty)
        #expect(bare.consent == all.consent && bare.appName == all.appName)
        #expect(try await options("reset").recoveryMethods == [.phoneCode, .provider])
        #expect(try await options("providers").recoveryMethods == [.emailLink, .phoneCode])
    }

    @Test("X-02: the options do not say whether a sign-up reveals taken addresses")
    func enumeration() async throws {
        let friendly = try await Self.options(GatewayFixture(enumeration: .friendly))
        let strict = try await Self.options(GatewayFixture(enumeration: .strict))
        #expect(friendly == strict)
    }

    @Test(
        "G-26: the rules have sentences in the caller's language",
        arguments: [
            (nil, "The password needs 8 to 128 characters."),
            ("de-CH,de;q=0.9", "Das Passwort muss 8 bis 128 Zeichen lang sein."),
            ("es", "La contraseña debe tener de 8 a 128 caracteres."),
            ("fr", "Le mot de passe doit contenir de 8 à 128 caractères."),
            ("ja", "パスワードは8〜128文字にしてください。"),
        ] as [(String?, String)])
    func languages(language: String?, sentence: String) async throws {
        let fixture = try await GatewayFixture()
        let options = try await Self.options(fixture, language: language)
        #expect(options.password?.rules.first?.sentence == sentence)
        let check = try await fixture.options.checkPassword(
            .init(password: "short"), fixture.context(language: language))
        #expect(check.rules.compactMap(\.rule) == options.password?.rules)
        #expect(check.rules.first?.met == false)
    }
}

@Suite("G-26: a new password is checked while it is typed", .timeLimit(.minutes(1)))
struct CheckPasswordTests {
    let fixture: GatewayFixture

    init() async throws { fixture = try await GatewayFixture() }

    private func check(
        _ password: String, email: String = "", name: String = "", in context: CallContext? = nil
    ) async throws -> GatewayV1.CheckPasswordResponse {
        try await fixture.options.checkPassword(
            .init(password: .init(text: password), email: email, displayName: name),
            context ?? fixture.context())
    }

    @Test("G-26: the answer has each rule, met or not, and a strength")
    func results() async throws {
        let good = try await check("Correct7Horse")
        #expect(good.rules.map(\.met) == [true, true, true, true, true, true])
        #expect(good.strength == .fair)
        let short = try await check("zt3x5k7")
        #expect(short.rules.map(\.met) == [false, false, true, true, true, true])
        #expect(short.strength == .weak)
        #expect(try await check("Correct7HorseBattery").strength == .strong)
    }

    @Test("G-26, X-02: the email counts as a word, and whether it has an account does not")
    func context() async throws {
        _ = try await fixture.signUp("lovelace@example.org")
        for email in ["lovelace@example.org", "lovelace@other.example"] {
            let answer = try await check("Lovelace1815", email: email)
            #expect(answer.rules.filter { !$0.met }.compactMap(\.rule?.rule) == ["context"])
        }
        #expect(try await check("Lovelace1815").strength == .fair)
        let long = try await refusal {
            try await check("Correct7Horse", name: String(repeating: "a", count: 129))
        }
        #expect(long.code == .invalidArgument && long.fields == ["display_name"])
    }

    @Test("R-03: the 61st check in a minute from one address is refused; another address is not")
    func limited() async throws {
        for _ in 0..<60 { _ = try await check("x") }
        let refused = try await refusal { try await check("x") }
        #expect(refused.code == .tooManyRequests && refused.retryAfter == .seconds(60))
        _ = try await check("x", in: fixture.context(address: "192.0.2.8"))
        fixture.time.advance(by: .seconds(60))
        _ = try await check("x")
    }

    @Test("R-07: without the rate limiter a password is still checked")
    func withoutLimiter() async throws {
        let fixture = try await GatewayFixture(limits: FailingLimits())
        let answer = try await fixture.options.checkPassword(
            .init(password: "Correct7Horse"), fixture.context())
        #expect(answer.strength == .fair)
    }

    @Test("G-26: a check writes nothing and logs nothing")
    func leavesNothing() async throws {
        let before = try await fixture.effects()
        let lines = fixture.log.lines.count
        _ = try await check("Correct7Horse", email: "ada@example.org", name: "Ada")
        #expect(fixture.log.lines.count == lines)
        #expect(try await fixture.effects() == before)
    }
}
