import Messages
import Testing

@Suite("A text field at a place of an encoded message")
struct TextFieldPathTests {
    private func message(_ name: String) throws -> SchemaMessage {
        try #require(try Golden.schema.get().message(named: "postern.gateway.v1.\(name)"))
    }

    @Test("a field is found by names, and only if it is a text")
    func names() throws {
        let request = try message("RefreshSessionRequest")
        #expect(request.textField(at: ["device", "device_id"]) != nil)
        #expect(request.textField(at: ["refresh_token"]) != nil)
        for names in [
            [], ["device"], ["device", "key"], ["device_id"], ["refresh_token", "device_id"],
            ["device_proof", "signed_at_ms"],
        ] {
            #expect(request.textField(at: names) == nil, "\(names)")
        }
    }

    @Test("fields of one name are found at any depth")
    func depth() throws {
        #expect(try message("RefreshSessionResponse").textFields(named: "refresh_token").count == 1)
        #expect(try message("SignOutResponse").textFields(named: "refresh_token").isEmpty)
    }

    @Test("a text is taken out and put in; all other fields stay")
    func roundTrip() throws {
        let path = try #require(
            try message("RefreshSessionResponse").textFields(named: "refresh_token").first)
        let session = GatewayV1.Session(
            sessionId: "ses_1", accessToken: "access", accessExpiresAtMs: 1, refreshToken: "token",
            idleExpiresAtMs: -2, expiresAtMs: 3, answeredAtMs: 4)
        let bytes = GatewayV1.RefreshSessionResponse(session: session).encoded()
        #expect(try path.text(in: bytes) == "token")
        let (rest, text) = try path.take(from: bytes)
        #expect(text == "token")
        #expect(try path.text(in: rest) == nil)
        #expect(try path.take(from: rest).text == nil)
        let without = try GatewayV1.RefreshSessionResponse(decoding: rest)
        #expect(without.session?.refreshToken == "")
        #expect(without.session?.idleExpiresAtMs == -2)
        let again = try GatewayV1.RefreshSessionResponse(decoding: path.put("token", into: rest))
        #expect(again.session == session)
    }

    @Test("of a field that occurs several times all are taken, and the last one is the text")
    func repeated() throws {
        let path = try #require(
            try message("RefreshSessionRequest").textField(at: ["refresh_token"]))
        #expect(try path.text(in: [0x0a, 1, 0x61, 0x12, 0, 0x0a, 1, 0x62]) == "b")
        let (rest, text) = try path.take(from: [0x0a, 1, 0x61, 0x12, 0, 0x0a, 1, 0x62])
        #expect(text == "b")
        #expect(rest == [0x12, 0])
    }

    @Test(
        "an encoding that is malformed or no text is an error",
        arguments: [[0x0a, 2, 0x61], [0x0a], [0x0a, 1, 0xff], [0x0b, 1]] as [[UInt8]])
    func malformed(_ bytes: [UInt8]) throws {
        let path = try #require(
            try message("RefreshSessionRequest").textField(at: ["refresh_token"]))
        #expect(throws: MessageError.self) { try path.take(from: bytes) }
    }
}
