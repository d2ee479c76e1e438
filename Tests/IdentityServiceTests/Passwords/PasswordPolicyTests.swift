import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("I-02: the password policy")
struct PasswordPolicyTests {
    @Test(
        "I-02: a refused password says which rules failed",
        arguments: [
            ("Correct7Horse", []),
            ("Aa345678", []),
            ("Aa34567", [.length]),
            ("aa345678", [.upperCase]),
            ("AA345678", [.lowerCase]),
            ("Aabcdefg", [.digit]),
            ("", PasswordRule.allCases),
            ("        ", [.upperCase, .lowerCase, .digit]),
            ("Äöü45678", []),
            ("Ωμέγα٣٤٥", []),
            ("😀😀😀😀😀Aa1", []),
        ] as [(String, [PasswordRule])])
    func rules(password: String, broken: [PasswordRule]) {
        #expect(PasswordRule.broken(by: password) == broken)
    }

    @Test("I-02: 8 to 128 code points, counted in Form C")
    func lengths() {
        let start = "Aa1"
        #expect(PasswordRule.broken(by: start + String(repeating: "x", count: 5)) == [])
        #expect(PasswordRule.broken(by: start + String(repeating: "x", count: 4)) == [.length])
        #expect(PasswordRule.broken(by: start + String(repeating: "x", count: 125)) == [])
        #expect(PasswordRule.broken(by: start + String(repeating: "x", count: 126)) == [.length])
        // Two scalars each as typed, one in Form C.
        #expect(PasswordRule.broken(by: start + String(repeating: "e\u{301}", count: 125)) == [])
        #expect(
            PasswordRule.broken(by: start + String(repeating: "e\u{301}", count: 4)) == [.length])
    }

    @Test("I-02: over 1 KiB is refused before any work, never cut; 1 KiB is not")
    func tooLong() {
        #expect(Password(entered: String(repeating: "x", count: 1_024)) != nil)
        #expect(Password(entered: String(repeating: "x", count: 1_025)) == nil)
        #expect(
            throws: ServiceError(.weakPassword, fields: ["password.length"]),
            performing: { try Password.new("Aa1" + String(repeating: "x", count: 1_100)) })
    }

    @Test("I-02: one password in two spellings is one password")
    func normalForm() throws {
        let composed = try #require(Password(entered: "Pässword1"))
        let decomposed = try #require(Password(entered: "Pa\u{308}ssword1"))
        #expect(composed.bytes == decomposed.bytes)
    }

    @Test("I-02: the whole password counts: a longer one with the same beginning is another")
    func notCut() throws {
        let long = "Aa1" + String(repeating: "x", count: 125)
        #expect(
            try #require(Password(entered: long)).bytes
                != #require(Password(entered: long + "y")).bytes)
    }
}
