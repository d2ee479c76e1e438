import Contracts
import Testing

@Suite("G-14: what is known of a way to sign in")
struct SignInMethodTests {
    @Test(
        "G-14: a method has the name and the authentication methods that stores have",
        arguments: [
            ("password", .password, ["pwd"], .password),
            ("phone", .phone, ["sms", "otp"], .phoneCode),
            ("passkey", .passkey, ["pop", "swk", "user", "mfa"], .passkey),
            ("google", .provider("google"), ["fed"], .provider),
            ("our-own", .provider("our-own"), ["fed"], .provider),
        ] as [(String, SignInMethod, [String], ProofKind)])
    func stored(name: String, method: SignInMethod, amr: [String], proof: ProofKind) {
        #expect(SignInMethod(name: name) == method && method.name == name)
        #expect(method.authentication.amr == amr)
        #expect(method.authentication.proof == proof)
    }

    @Test("G-14: no two methods have one name, and each is found by its own")
    func names() {
        let builtIn = SignInMethod.builtIn
        #expect(Set(builtIn.map(\.name)).count == builtIn.count)
        #expect(builtIn.map { SignInMethod(name: $0.name) } == builtIn)
    }

    @Test("G-14: reserved are the names of methods, those to come, and words for them")
    func reserved() {
        #expect(
            SignInMethod.reservedNames == [
                "anonymous", "code", "device", "device-key", "email", "guest", "link", "passkey",
                "password", "phone", "postern", "recovery-code", "reset-password", "sign-up", "sms",
                "totp",
            ])
        #expect(BuiltInProvider.allCases.map(\.rawValue) == ["google", "apple"])
    }

    @Test("S-02, G-13: each authentication has the values that sessions store, in their order")
    func authentications() {
        let stored: [(amr: [String], proof: ProofKind?)] = Authentication.allCases.map {
            ($0.amr, $0.proof)
        }
        let expected: [(amr: [String], proof: ProofKind?)] = [
            (["pwd"], .password), (["otp", "pwd"], .password), (["sms", "otp"], .phoneCode),
            (["otp"], nil), (["fed"], .provider), (["fed", "mfa"], .provider),
            (["otp", "totp", "mfa"], .totp), (["otp", "recovery", "mfa"], .recoveryCode),
            (["pop", "hwk", "user", "mfa"], .passkey), (["pop", "swk", "user", "mfa"], .passkey),
            (["hwk", "user"], .deviceKey), (["swk", "user"], .deviceKey), (["anon"], nil),
        ]
        #expect(stored.map(\.amr) == expected.map(\.amr))
        #expect(stored.map(\.proof) == expected.map(\.proof))
    }

    @Test("G-13: an authentication is part of what has all of its values, in any order")
    func parts() {
        #expect(Authentication.phoneCode.isPart(of: ["otp", "sms", "pwd"]))
        #expect(!Authentication.phoneCode.isPart(of: ["otp"]))
        #expect(!Authentication.hardwareKey.isPart(of: ["hwk"]))
        #expect(Authentication.guest.isPart(of: ["anon"]))
        #expect(!Authentication.guest.isPart(of: ["pwd"]) && !Authentication.guest.isPart(of: []))
    }
}
