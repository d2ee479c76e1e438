import Testing

@testable import Messages

@Suite("JSON and messages: mismatches and alternative spellings")
struct JSONMappingTests {
    @Test("a server ignores unknown fields at any depth, and refuses all other mistakes")
    func unknownFields() throws {
        let item = try message("postern.wire.v1.Frame")
        let json = Array(#"{"newer":[1,{"a":null}],"ping":{"token":"7","newer":1}}"#.utf8)
        let bytes = try item.encodeJSON(json, ignoresUnknownFields: true)
        #expect(bytes == (try item.encodeJSON(#"{"ping":{"token":"7"}}"#)))
        #expect(throws: MappingError.self) {
            try item.encodeJSON(json, ignoresUnknownFields: false)
        }
        for text in [#"{"newer":1,"ping":[]}"#, #"{"newer":1,"newer":2}"#, #"{"newer":}"#] {
            #expect(throws: MappingError.self) {
                try item.encodeJSON(Array(text.utf8), ignoresUnknownFields: true)
            }
        }
    }

    @Test(
        "JSON that does not fit is rejected with the name of the field",
        arguments: [
            (
                "postern.wire.v1.Hello", "{\"versoin\":1}",
                "versoin: postern.wire.v1.Hello has no such field"
            ),
            (
                "postern.session.v1.CreateSessionRequest", "{\"device\":{\"origin\":1}}",
                "device.origin: postern.gateway.v1.Device has no such field"
            ),
            (
                "postern.wire.v1.Hello", "{\"version\":-1}",
                "version: a whole number from 0 to 4294967295 is needed"
            ),
            (
                "postern.wire.v1.Hello", "{\"version\":1.5}",
                "version: a whole number from 0 to 4294967295 is needed"
            ),
            (
                "postern.wire.v1.Hello", "{\"version\":4294967296}",
                "version: a whole number from 0 to 4294967295 is needed"
            ),
            (
                "postern.wire.v1.Ping", "{\"token\":\"18446744073709551616\"}",
                "token: a whole number from 0 to 18446744073709551615 is needed"
            ),
            (
                "postern.wire.v1.Ping", "{\"token\":true}",
                "token: a number is needed, not a boolean"
            ),
            (
                "postern.wire.v1.Ping", "{\"token\":\"0x10\"}",
                "token: a number is needed, not a string"
            ),
            ("postern.wire.v1.Hello", "{\"agent\":7}", "agent: a string is needed, not a number"),
            ("postern.wire.v1.Hello", "{\"agent\":\"a\\u0000b\"}", "agent: text cannot hold a NUL"),
            (
                "postern.wire.v1.Hello", "{\"challenge\":\"a\"}",
                "challenge: base64 in a string is needed, not a string"
            ),
            (
                "postern.wire.v1.GoAway", "{\"reason\":\"SLEEPY\"}",
                "reason: postern.wire.v1.GoAwayReason has no \"SLEEPY\"; its values are "
                    + "GO_AWAY_REASON_DRAINING, GO_AWAY_REASON_PROTOCOL_ERROR, "
                    + "GO_AWAY_REASON_FRAME_TOO_LARGE, GO_AWAY_REASON_UNAUTHENTICATED, "
                    + "GO_AWAY_REASON_UNSUPPORTED_VERSION, GO_AWAY_REASON_TOO_MANY_PINGS, "
                    + "GO_AWAY_REASON_TOO_MANY_CONNECTIONS, GO_AWAY_REASON_IDLE, "
                    + "GO_AWAY_REASON_SLOW"
            ),
            (
                "postern.wire.v1.Item", "{\"end\":\"true\"}",
                "end: true or false is needed, not a string"
            ),
            (
                "postern.wire.v1.Error", "{\"alternatives\":\"a\"}",
                "alternatives: an array is needed, not a string"
            ),
            (
                "postern.wire.v1.Error", "{\"alternatives\":[\"a\",1]}",
                "alternatives[1]: a string is needed, not a number"
            ),
            (
                "postern.wire.v1.Error", "{\"alternatives\":[null]}",
                "alternatives[0]: a string is needed, not null"
            ),
            ("postern.wire.v1.Frame", "{\"ping\":[]}", "ping: an object is needed, not an array"),
            (
                "postern.wire.v1.Frame", "{\"ping\":{},\"pong\":{}}",
                "pong: cannot stand beside \"ping\""
            ),
            (
                "postern.wire.v1.Hello", "{\"keyId\":\"a\",\"key_id\":\"b\"}",
                "key_id: is the same field as \"keyId\""
            ),
            ("postern.wire.v1.Hello", "[]", "an object is needed, not an array"),
        ])
    func refused(name: String, json: String, complaint: String) throws {
        let message = try message(name)
        do throws(MappingError) {
            _ = try message.encodeJSON(json)
            Issue.record("was taken")
        } catch {
            #expect("\(error)" == complaint)
        }
    }

    @Test(
        "different spellings in JSON give the same message",
        arguments: [
            "{\"lastCall\":\"7\",\"reason\":\"GO_AWAY_REASON_SLOW\",\"retryAfterMs\":1000}",
            "{\"last_call\":7,\"reason\":9,\"retry_after_ms\":\"1000\"}",
            " { \"retryAfterMs\" : 1e3 , \"lastCall\" : 7.0 , \"reason\" : 9 , \"message\" : null } ",
            "{\"lastCall\":7,\"reason\":9,\"retryAfterMs\":1000,\"message\":\"\"}",
        ])
    func ways(json: String) throws {
        let bytes = try message("postern.wire.v1.GoAway").encodeJSON(json)
        let expected = WireV1.GoAway(lastCall: 7, reason: .slow, retryAfterMs: 1000)
        #expect(try WireV1.GoAway(decoding: bytes) == expected)
    }

    @Test("a JSON text over the size limit is rejected before it is parsed")
    func size() throws {
        let text = String(repeating: " ", count: SchemaMessage.textBytesMax) + "{}"
        let hello = try message("postern.wire.v1.Hello")
        let error = #expect(throws: MappingError.self) { try hello.encodeJSON(text) }
        #expect(error?.reason.hasPrefix("the JSON text is over") == true)
    }

    @Test("bytes are read as base64 and base64url, with and without padding")
    func base64() throws {
        let item = try message("postern.wire.v1.Item")
        for text in ["+/+/AA==", "-_-_AA==", "+/+/AA", "-_-_AA"] {
            let bytes = try item.encodeJSON("{\"payload\":\"\(text)\"}")
            #expect(try WireV1.Item(decoding: bytes).payload == [0xfb, 0xff, 0xbf, 0])
        }
        for text in ["=", "A=", "AA=", "A===", "AA\\n", "A A=", "AAAA====", "é"] {
            #expect(throws: MappingError.self) { try item.encodeJSON("{\"payload\":\"\(text)\"}") }
        }
    }

    @Test("pretty JSON is in field order with two spaces of indent, and controls are escaped")
    func pretty() throws {
        let hello = WireV1.Hello(version: 1, agent: "a\u{1b}[2J\u{9b}\"\\\n\u{7f}é")
        let json = try message("postern.wire.v1.Hello").decodeToJSON(hello.encoded(), pretty: true)
        #expect(
            json == """
                {
                  "version": 1,
                  "agent": "a\\u001b[2J\\u009b\\"\\\\\\n\\u007fé"
                }
                """)
        let empty = try message("postern.wire.v1.Hello").decodeToJSON([], pretty: true)
        #expect(empty == "{}")
    }

    @Test("bytes that do not fit the schema are rejected with the name of the field")
    func wire() throws {
        let hello = try message("postern.wire.v1.Hello")
        for (bytes, complaint) in [
            ([0x3a, 0x01, 0xff], "agent: text is not UTF-8 or holds a NUL"),
            ([0x3a, 0x01, 0x00], "agent: text is not UTF-8 or holds a NUL"),
            ([0x38, 0x01], "agent: a value of another type"),
            ([0x0a, 0x00], "version: a value of another type"),
            ([0x0b], "not a protobuf message"), ([0x08], "not a protobuf message"),
        ] as [([UInt8], String)] {
            do throws(MappingError) {
                _ = try hello.decodeToJSON(bytes)
                Issue.record("was taken")
            } catch {
                #expect("\(error)" == complaint)
            }
        }
    }

    @Test("a message that occurs twice is merged, and the last member of a oneof counts")
    func merging() throws {
        let create = try message("postern.session.v1.CreateSessionRequest")
        let first = GatewayV1.Device(deviceId: "d", platform: "ios").encoded()
        let second = GatewayV1.Device(platform: "web").encoded()
        let bytes =
            [0x12, UInt8(first.count)] + first + [0x12, UInt8(second.count)] + second
        let json = "{\"device\":{\"deviceId\":\"d\",\"platform\":\"web\"}}"
        #expect(try create.decodeToJSON(bytes) == json)
        #expect(
            try create.encodeJSON(json) == SessionV1.CreateSessionRequest(decoding: bytes).encoded()
        )
        let frame = try message("postern.wire.v1.Frame")
        #expect(try frame.decodeToJSON([0x3a, 0, 0x42, 0]) == "{\"pong\":{}}")
    }

    @Test("fields are read and written by number, in any order and with gaps between numbers")
    func order() throws {
        let device = try message("postern.gateway.v1.Device")
        let numbers = device.type.fields.map(\.number)
        #expect(numbers == numbers.sorted())
        for (index, number) in numbers.enumerated() {
            #expect(device.type.index(number: number) == index)
        }
        let gaps = MessageType(
            name: "a.B",
            fields: [1, 2, 4, 7].map {
                FieldType(
                    number: $0, name: "f\($0)", jsonName: "f\($0)", kind: .bool, isRepeated: false,
                    oneof: nil, hasPresence: false, isSecret: false)
            })
        #expect((0...8).map { gaps.index(number: $0) } == [nil, 0, 1, nil, 2, nil, nil, 3, nil])
        #expect(gaps.index(number: 1 << 29) == nil)
        let goAway = try message("postern.wire.v1.GoAway")
        let forward = try goAway.encodeJSON(#"{"lastCall":"7","reason":9,"retryAfterMs":1000}"#)
        let backward = try goAway.encodeJSON(#"{"retryAfterMs":1000,"reason":9,"lastCall":"7"}"#)
        #expect(forward == backward)
        #expect(try goAway.decodeToUTF8(forward) == Array(goAway.decodeToJSON(forward).utf8))
    }

    @Test("100,000 mutated messages give JSON that reads back or a typed error")
    func mutations() throws {
        var mutator = Mutator(seed: 7)
        var refused = 0
        for _ in 0..<100_000 {
            let golden = Golden.all[mutator.below(Golden.all.count)]
            let bytes = mutator.mutated(golden.bytes, with: golden.bytes)
            let message = try message(golden.name)
            do throws(MappingError) {
                let json = try message.decodeToJSON(bytes)
                let again = try message.encodeJSON(json)
                #expect(try message.decodeToJSON(again) == json)
            } catch {
                refused += 1
            }
        }
        #expect((20_000..<90_000).contains(refused))
    }

    private func message(_ name: String) throws -> SchemaMessage {
        try #require(try Golden.schema.get().message(named: name))
    }
}
