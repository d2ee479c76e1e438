import Cryptography
import Testing

@testable import Messages

@Suite("B9: secret fields")
struct SecretFieldTests {
    private static let password = "Canary7InTheMine"
    private static let request = GatewayV1.SignInWithPasswordRequest(
        email: "ada@example.org", password: .init(copying: password.utf8))

    @Test("B9: both readers give the same secret, and it is written as the original text")
    func readers() throws {
        let bytes = Self.request.encoded()
        #expect(String(decoding: bytes, as: UTF8.self).contains(Self.password))
        let byLibrary = try bytes.withUnsafeBytes { bytes in
            try GatewayV1.SignInWithPasswordRequest(byLibrary: bytes, in: Arena())
        }
        #expect(byLibrary == Self.request)
        let ordinary: GatewayV1.SignInWithPasswordRequest = try bytes.withUnsafeBytes { bytes in
            try CanonicalReader.message(in: bytes, budget: .max)
        }
        #expect(ordinary == Self.request)
        #expect(Self.request.encodedSecret().withBytes { Array($0) } == bytes)
        #expect(Self.request != GatewayV1.SignInWithPasswordRequest(email: "ada@example.org"))
    }

    @Test("B9: a secret appears in no description or dump of its message")
    func description() {
        var dumped = ""
        dump(Self.request, to: &dumped)
        for text in ["\(Self.request)", String(reflecting: Self.request), dumped] {
            #expect(!text.contains(Self.password))
            #expect(text.contains("ada@example.org"))
        }
    }

    @Test(
        "B9: a secret must be valid text like any other text field",
        arguments: [[0xFF], [0x61, 0]])
    func unsound(password: [UInt8]) {
        let bytes = GatewayV1.SignInWithPasswordRequest(password: .init(copying: password))
            .encoded()
        #expect(throws: MessageError.invalidText) {
            try GatewayV1.SignInWithPasswordRequest(decoding: bytes)
        }
    }
}
