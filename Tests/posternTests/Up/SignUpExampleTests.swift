import Testing

@testable import postern

@Suite("G-01, G-23: the sign-up that `postern up` prints")
struct SignUpExampleTests {
    private static let plain =
        #"{"email":"ada@example.org","password":"Correct7Horse","#
        + #""device":{"deviceId":"d1","platform":"cli"}"#

    @Test(
        "G-01, G-23: the request has what the settings require, and no more",
        arguments: [
            ([:], ""), (["POSTERN_CONSENT": "asked", "POSTERN_TERMS_VERSION": "1"], ""),
            (
                [
                    "POSTERN_CONSENT": "required", "POSTERN_TERMS_VERSION": "2026-03",
                    "POSTERN_PRIVACY_VERSION": "4",
                ], #","acceptance":{"termsVersion":"2026-03","privacyVersion":"4"}"#
            ),
            (["POSTERN_AGE_GATE": "required"], #","acceptance":{"birthDate":"1970-01-01"}"#),
        ] as [([String: String], String)])
    func request(variables: [String: String], more: String) {
        #expect(SignUpExample.request { variables[$0] } == "'\(Self.plain)\(more)}'")
    }

    @Test("G-01: the password is one that the policy accepts")
    func password() {
        let request = SignUpExample.request { $0 == "POSTERN_PASSWORD_POLICY" ? "nist" : nil }
        #expect(request.contains(#""password":"Correct7HorseBattery""#))
    }

    @Test("a quote in a version does not end the shell's word")
    func quote() {
        let variables = ["POSTERN_CONSENT": "required", "POSTERN_TERMS_VERSION": "'; x"]
        let request = SignUpExample.request { variables[$0] }
        #expect(request.contains(#""termsVersion":"'\''; x""#))
    }
}
