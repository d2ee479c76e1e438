import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-02: the password policy")
struct PasswordPolicyTests {
    private func broken(
        _ password: String, by policy: PasswordPolicy = .document
    ) -> [PasswordRule] {
        guard let password = Password(entered: .init(text: password)) else { return [.length] }
        return policy.broken(by: password, .none)
    }

    @Test(
        "I-02: the error of a refused password names the rules that failed",
        arguments: [
            ("Correct7Horse", []),
            ("Zt3x5k7q", []),
            ("Zt3x5k7", [.length]),
            ("zt3x5k7q", [.upperCase]),
            ("ZT3X5K7Q", [.lowerCase]),
            ("Ztaxbkcq", [.digit]),
            ("Password1", [.common]),
            ("", [.length, .upperCase, .lowerCase, .digit]),
            ("        ", [.upperCase, .lowerCase, .digit, .common]),
            ("Äöü45678", []),
            ("Ωμέγα٣٤٥", []),
            ("😀😀😀😀😀Aa1", []),
        ] as [(String, [PasswordRule])])
    func document(password: String, rules: [PasswordRule]) {
        #expect(broken(password) == rules)
    }

    @Test(
        "I-02: letters-digits asks for a letter and a digit, of any script and case",
        arguments: [
            ("zt3x5k7q", []), ("ZT3X5K7Q", []), ("ωμέγα٣٤٥", []), ("zt3x5k7", [.length]),
            ("ztaxbkcq", [.digit]), ("93756184027", [.letter]), ("password1", [.common]),
        ] as [(String, [PasswordRule])])
    func lettersAndDigits(password: String, rules: [PasswordRule]) {
        #expect(broken(password, by: .lettersAndDigits) == rules)
    }

    @Test(
        "I-02: nist asks for 15 code points and no kinds of characters",
        arguments: [
            ("bees on a quiet", []), ("bees on a quie", [.length]),
            ("qwertyuiopasdfghjkl", [.common]), ("passwordpassword", [.common]),
            ("😀😃😄😁😆😅🤣😂🙂🙃😉😊😇🥰😍", []),
            ("Correct7Horse", [.length]),
        ] as [(String, [PasswordRule])])
    func nist(password: String, rules: [PasswordRule]) {
        #expect(broken(password, by: .nist) == rules)
    }

    @Test("I-02: a password has 8 to 128 code points, counted in Form C")
    func lengths() {
        let start = "Aa1"
        #expect(broken(start + String(repeating: "x", count: 5)) == [])
        #expect(broken(start + String(repeating: "x", count: 4)) == [.length])
        #expect(broken(start + String(repeating: "x", count: 125)) == [])
        #expect(broken(start + String(repeating: "x", count: 126)) == [.length])
        // Two scalars as typed, one in Form C.
        #expect(broken(start + String(repeating: "e\u{301}", count: 125)) == [])
        #expect(broken(start + String(repeating: "e\u{301}", count: 4)) == [.length])
    }

    @Test("I-02: a password above 1,024 bytes is refused before any work, never truncated")
    func tooLong() {
        #expect(Password(entered: .init(text: String(repeating: "x", count: 1_024))) != nil)
        #expect(Password(entered: .init(text: String(repeating: "x", count: 1_025))) == nil)
        #expect(
            throws: ServiceError.weakPassword([.length], field: "password"),
            performing: {
                try Password.allowed(
                    .init(text: "Aa1" + String(repeating: "x", count: 1_100)), by: .document, .none)
            })
    }

    @Test("I-02: two Unicode spellings of a password are the same password")
    func normalForm() throws {
        let composed = try #require(Password(entered: "Pässword1"))
        let decomposed = try #require(Password(entered: "Pa\u{308}ssword1"))
        #expect(composed.bytes == decomposed.bytes)
    }

    @Test("I-02: the whole password counts: a longer one with the same start is different")
    func notCut() throws {
        let long = "Aa1" + String(repeating: "x", count: 125)
        #expect(
            try #require(Password(entered: .init(text: long))).bytes
                != #require(Password(entered: .init(text: long + "y"))).bytes)
    }
}
