import Testing

@testable import WebService

@Suite("An access token in a page's cookie")
struct PackedTokenTests {
    @Test("it comes back as it was, and a JSON Web Token takes three quarters of its text")
    func roundTrip() {
        let jwt = ["eyJhbGciOiJFUzI1NiJ9", "eyJzdWIiOiJhY2NfMSJ9", "AAECAwQFBgcICQ"].joined(
            separator: ".")
        for token in [
            jwt, "", ".", "..", "a.b.c", "a1", "QQ.QQ.QR", "QQ=.QQ.QQ", jwt + ".", "é.QQ.QQ",
        ] {
            #expect(PackedToken.text(PackedToken.bytes(of: token)[...]) == token, "\(token)")
        }
        #expect(PackedToken.bytes(of: jwt).count <= jwt.utf8.count * 3 / 4 + 5)
        // Its last part has a bit that base64url drops.
        #expect(PackedToken.bytes(of: "QQ.QQ.QR").first == 0)
    }

    @Test("anything else is none")
    func other() {
        for bytes in [[], [2], [1], [1, 0, 0, 0], [1, 0, 9, 0, 0, 1], [0, 0xFF]] as [[UInt8]] {
            #expect(PackedToken.text(bytes[...]) == nil, "\(bytes)")
        }
    }
}
