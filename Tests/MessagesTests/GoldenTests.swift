import JSON
import Testing

@testable import Messages

@Suite("Messages agree with another protobuf implementation")
struct GoldenTests {
    @Test("the golden file and the generated code have the same messages")
    func complete() throws {
        #expect(Golden.all.count > 200)
        #expect(Set(Golden.all.map(\.name)) == Set(AllMessages.byName.keys))
        #expect(try Set(Golden.schema.get().messages.keys).isSuperset(of: AllMessages.byName.keys))
    }

    @Test("each message is read and written back as the same bytes", arguments: Golden.all)
    func roundTrip(golden: Golden) throws {
        let type = try #require(AllMessages.byName[golden.name])
        let message = try type.init(decoding: golden.bytes)
        #expect(message.encoded() == golden.bytes)
    }

    @Test("JSON agrees with the other implementation in both directions", arguments: Golden.all)
    func json(golden: Golden) throws {
        let message = try #require(try Golden.schema.get().message(named: golden.name))
        let expected = try read(golden.json)
        for isPretty in [false, true] {
            let json = try message.decodeToJSON(golden.bytes, pretty: isPretty)
            #expect(try read(json) == expected)
        }
        #expect(try message.encodeJSON(golden.json) == golden.bytes)
    }

    @Test("X-01: the JSON of an error agrees with the other implementation")
    func errors() throws {
        let errors = Golden.all.filter { $0.name == WireV1.Error.fullName }
        #expect(!errors.isEmpty)
        for golden in errors {
            let error = try WireV1.Error(decoding: golden.bytes)
            #expect(try read(JSONWriter.text(error.json)) == read(golden.json))
        }
    }

    private func read(_ text: String) throws -> JSONValue {
        let options = JSONReader.Options(depthMax: 64, membersMax: .max, retainsNumberTexts: true)
        return try JSONReader.value(in: Array(text.utf8), options)
    }

    @Test("a value written in Swift has the golden bytes")
    func values() throws {
        let frame = WireV1.Frame(
            kind: .goAway(
                WireV1.GoAway(lastCall: 1000, reason: .slow, retryAfterMs: 3, message: "message 4"))
        )
        #expect(frame.encoded() == (try golden("postern.wire.v1.Frame", "oneof-go_away")))
        let request = RateLimitV1.PeekRequest(
            charges: [
                RateLimitV1.Charge(
                    limit: "limit 1", subject: "subject 2", device: "device 3", target: "target 4",
                    amount: 5),
                RateLimitV1.Charge(),
                RateLimitV1.Charge(
                    limit: "limit 6", subject: "subject 7", device: "device 8", target: "target 9",
                    amount: 10),
            ], language: "language 11")
        #expect(request.encoded() == (try golden("postern.ratelimit.v1.PeekRequest", "full")))
        let account = try GatewayV1.Account(
            decoding: golden("postern.gateway.v1.Account", "full"))
        #expect(account.accountId == "account_id 1" && account.email == "email 2")
        #expect(account.emailVerified && account.displayName == "display_name 4")
        #expect(account.createdAtMs == 1_700_000_000_005 && account.status == .deleting)
    }

    @Test("a oneof keeps its member, also with its default value")
    func oneof() throws {
        let name = "postern.gateway.v1.CheckRecentProofRequest"
        let chosen = try GatewayV1.CheckRecentProofRequest(
            decoding: golden(name, "oneof-max_age_ms-default"))
        #expect(chosen.maxAge == .maxAgeMs(0))
        #expect(GatewayV1.CheckRecentProofRequest().maxAge == nil)
    }

    private func golden(_ name: String, _ variant: String) throws -> [UInt8] {
        try #require(Golden.all.first { $0.name == name && $0.variant == variant }).bytes
    }
}
