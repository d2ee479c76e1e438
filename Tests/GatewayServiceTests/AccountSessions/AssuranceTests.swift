import Contracts
import Testing

@Suite("F-04: how strongly a session's owner has authenticated")
struct AssuranceTests {
    @Test(
        "F-04: one proof has the assurance of two if it says so, and a guest's has none",
        arguments: [
            (["pwd"], .aal1), (["otp", "pwd"], .aal1), (["sms", "otp"], .aal1), (["fed"], .aal1),
            (["hwk", "user"], .aal1), (["sms", "otp", "pwd"], .aal1),
            (["otp", "totp", "mfa"], .aal2), (["otp", "recovery", "mfa"], .aal2),
            (["pop", "hwk", "user", "mfa"], .aal2), (["pop", "swk", "user", "mfa"], .aal2),
            (["fed", "mfa"], .aal2), (["pwd", "otp", "totp", "mfa"], .aal2), (["anon"], nil),
            ([], nil),
        ] as [([String], Assurance?)])
    func proof(amr: [String], assurance: Assurance?) {
        #expect(Assurance(of: amr) == assurance)
    }

    @Test(
        "F-04: a session has the highest assurance of its proofs, whichever is the latest",
        arguments: [
            ([["pwd"]], .aal1), ([["pwd"], ["otp", "totp", "mfa"]], .aal2),
            ([["pwd", "otp", "totp", "mfa"], ["pwd"], ["hwk", "user"]], .aal2),
            ([["pwd"], ["fed"], ["sms", "otp"], ["hwk", "user"]], .aal1), ([["anon"]], nil),
            ([["anon"], ["pwd"]], .aal1), ([], nil),
        ] as [([[String]], Assurance?)])
    func session(proofs: [[String]], assurance: Assurance?) {
        #expect(Assurance(ofSession: proofs) == assurance)
    }

    @Test("F-04: the words are those of NIST SP 800-63B, and are ordered")
    func words() {
        #expect(Assurance.allCases.map(\.rawValue) == ["aal1", "aal2"])
        #expect(Assurance.aal1 < .aal2 && !(Assurance.aal2 < .aal1) && !(Assurance.aal1 < .aal1))
    }

    @Test("F-04: exactly second factors, passkeys, and a provider that vouches, are of aal2")
    func authentications() {
        let two = Authentication.allCases.filter { Assurance(of: $0.amr) == .aal2 }
        #expect(
            two == [
                .strongProviderToken, .totp, .recoveryCode, .hardwarePasskey, .softwarePasskey,
            ])
    }
}
