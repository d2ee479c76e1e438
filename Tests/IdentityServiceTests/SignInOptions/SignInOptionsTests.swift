import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-26: the settings that a sign-in screen needs")
struct SignInOptionsTests {
    private static func handler(
        policy: PasswordPolicy = .document, app: String = ""
    ) -> SignInOptionsHandler {
        var settings = IdentitySettings()
        settings.passwordPolicy = policy
        settings.appName = app
        return SignInOptionsHandler(settings: settings, breached: nil)
    }

    private static let context = CallContext(
        application: CallContext.gateway, deadline: .seconds(10))

    private static func check(
        _ password: String, policy: PasswordPolicy = .document, app: String = ""
    ) async throws -> GatewayV1.CheckPasswordResponse {
        try await handler(policy: policy, app: app).checkPassword(
            .init(password: .init(text: password)), context)
    }

    @Test("G-26: each policy has its rules and its minimum", arguments: PasswordPolicy.allCases)
    func rules(policy: PasswordPolicy) throws {
        let options = try Self.handler(policy: policy).getSignInOptions(.init(), Self.context)
        let rules = options.password?.rules ?? []
        #expect(rules.map(\.rule) == policy.rules.map(\.rawValue))
        #expect(rules.first?.minimum == (policy == .nist ? 15 : 8))
        #expect(rules.first?.maximum == 128)
        #expect(rules.dropFirst().allSatisfy { $0.minimum == 0 && $0.maximum == 0 })
    }

    @Test("G-35: whether a display name is required, and how long it may be")
    func displayName() throws {
        var settings = IdentitySettings()
        for (mode, isRequired) in [
            (IdentitySettings.DisplayNameMode.optional, false), (.required, true),
        ] {
            settings.displayName = mode
            let options = try SignInOptionsHandler(settings: settings, breached: nil)
                .getSignInOptions(.init(), Self.context)
            #expect(options.displayName == .init(required: isRequired, maximum: 128))
        }
    }

    @Test(
        "G-26: every rule has its own sentence in every language",
        arguments: PasswordPolicy.allCases)
    func sentences(policy: PasswordPolicy) {
        // A formal voice differs in some sentences only.
        let voices = Language.allCases.map { Voice($0) }
        let sentences = voices.flatMap { voice in
            policy.requirements(of: policy.rules + [.breached], in: voice).map(\.sentence)
        }
        #expect(Set(sentences).count == (policy.rules.count + 1) * voices.count)
        #expect(!sentences.contains(""))
    }

    @Test(
        "G-26: the strength needs the rules, then length and different characters",
        arguments: [
            ("", .weak), ("zt3x5k7q", .weak), ("Zt3x5k7q", .fair), ("Zt3x5k7qZt3x5k", .fair),
            ("Zt3x5k7qZt3x5k7", .strong), ("Zt3x5k7Zt3x5k7Zt3x5k7", .fair),
            ("Äöü45678ßñçø 日", .fair), ("Äöü45678ßñçø 日本", .strong),
        ] as [(String, GatewayV1.PasswordStrength)])
    func strength(password: String, strength: GatewayV1.PasswordStrength) async throws {
        #expect(try await Self.check(password).strength == strength)
    }

    @Test("G-26: a password above the maximum breaks the rule of length only")
    func long() async throws {
        for count in [129, 2_000] {
            let answer = try await Self.check("Zt3x5k7q" + String(repeating: "x", count: count - 8))
            #expect(answer.rules.filter { !$0.met }.compactMap(\.rule?.rule) == ["length"])
            #expect(answer.strength == .weak)
        }
    }

    @Test("G-26: the app's name counts as a word of the owner")
    func app() async throws {
        let answer = try await Self.check("Postern1815", app: "Postern")
        #expect(answer.rules.filter { !$0.met }.compactMap(\.rule?.rule) == ["context"])
    }

    @Test("F-03: the screen knows whether accounts may or must have a second factor")
    func secondFactors() throws {
        let table: [(SecondFactorSettings.Mode, GatewayV1.SecondFactorOptions?)] = [
            (.optional, .init(kinds: ["totp"])),
            (.required, .init(required: true, kinds: ["totp"])), (.off, nil),
        ]
        for (mode, expected) in table {
            var settings = IdentitySettings()
            settings.secondFactors.mode = mode
            let options = try SignInOptionsHandler(settings: settings, breached: nil)
                .getSignInOptions(.init(), Self.context)
            #expect(options.secondFactors == expected, "\(mode)")
        }
    }

    @Test("I-02: by default it is the name that is in mails")
    func defaultName() async throws {
        let handler = SignInOptionsHandler(
            settings: try SettingsLoader.settings(), breached: nil)
        let answer = try await handler.checkPassword(
            .init(password: .init(text: "Postern123")), Self.context)
        #expect(answer.rules.filter { !$0.met }.compactMap(\.rule?.rule) == ["context"])
        let options = try handler.getSignInOptions(.init(), Self.context)
        #expect(options.appName == "Postern")
    }
}
