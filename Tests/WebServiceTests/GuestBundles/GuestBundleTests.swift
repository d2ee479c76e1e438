import JSON
import Messages
import TestSupport
import Testing

@testable import WebService

@Suite("G-16: a guest's documents are uploaded by PUT", .timeLimit(.minutes(1)))
struct GuestBundleTests {
    private static let one =
        #"{"documents":[{"collection":"goals","name":"main","json":"{}","changedAtMs":"7"}]}"#

    private func error(_ response: HTTP1Response) -> JSONObject? {
        JSONReader.object(in: response.body, depthMax: 8)?["details"]?.array?.first?.object?[
            "debug"]?
            .object
    }

    private func code(_ response: HTTP1Response) -> String? { error(response)?["code"]?.string }

    @Test(
        "the documents go to the gateway in order, after their number; the answer is the migration")
    func uploaded() async throws {
        try await GuestBundleFixture.run { bundles in
            let response = try await bundles.put(
                #"""
                {"documents": [
                    {"collection": "goals", "name": "ma\"in", "changedAtMs": 1700000000000,
                     "document": {"sleep": 8, "note": "a } ] \" b", "big": 9007199254740993}},
                    {"changedAtMs": "5", "json": "{\"a\": [1]}", "name": "x", "collection": "settings"}
                ] }
                """#, ["idempotency-key": "0123456789abcdef"])
            #expect(response.status == 200, "\(response.text)")
            #expect(response.fields["content-type"] == "application/json")
            #expect(response.fields["cache-control"] == "no-store")
            #expect(
                JSONReader.object(in: response.body)
                    == [
                        "migrationId": .string("mig_0000000000001"),
                        "state": .string("MIGRATION_STATE_WAITING"), "documents": .integer(2),
                        "createdAtMs": .string("7"), "changedAtMs": .string("7"),
                    ])
            #expect(bundles.guests.announced == 2)
            #expect(
                bundles.guests.documents == [
                    .init(
                        collection: "goals", name: "ma\"in",
                        json: #"{"sleep":8,"note":"a } ] \" b","big":9007199254740993}"#,
                        changedAtMs: 1_700_000_000_000),
                    .init(
                        collection: "settings", name: "x", json: #"{"a": [1]}"#, changedAtMs: 5),
                ])
            #expect(bundles.guests.metadata("client-address") == "127.0.0.1")
            #expect(bundles.guests.metadata("app") == "blog")
            // Bound to the app, as that of a call.
            let key = bundles.guests.metadata("idempotency-key")
            #expect(key != nil && key != "0123456789abcdef")
        }
    }

    @Test("errors have the form of a call's; the gateway's come through")
    func refused() async throws {
        try await GuestBundleFixture.run { bundles in
            let full = try await bundles.put(Self.one.replacing("goals", with: "full"))
            #expect(code(full) == "auth/document-quota" && full.status == 429)
            let signedOut = try await bundles.put(Self.one, ["authorization": nil])
            #expect(signedOut.status == 401)
            #expect(code(signedOut) == "auth/invalid-access-token")
            let anonymous = try await bundles.put(Self.one, ["x-postern-app": nil])
            #expect(anonymous.status == 401)
            let restricted = try await bundles.put(
                Self.one, ["x-postern-app": AppsFixture.phoneKey])
            #expect(restricted.status == 403)
            let short = try await bundles.put(Self.one, ["idempotency-key": "short"])
            #expect(code(short) == "rpc/invalid-argument")
            let get = try await bundles.put("", method: "GET")
            #expect(get.status == 405 && get.fields["allow"] == "PUT")
        }
    }

    @Test(
        "a body of another form is refused, and nothing is sent",
        arguments: [
            "", "{}", "[]", "null", #"{"documents":{}}"#, #"{"documents":[}"#,
            #"{"documents":[1]}"#, #"{"documents":[{}}"#, #"{"documents":[{}]"#,
            #"{"documents":[{}]} x"#, #"{"documents":[{"a":"]}"#, #"{"documents":[{"a":"\"#,
            #"{"other":[{}]}"#, #"{"documents":[{}],"other":1}"#, #"{"documents"#,
        ])
    func malformed(body: String) async throws {
        try await GuestBundleFixture.run { bundles in
            let response = try await bundles.put(body)
            #expect(response.status == 400, "\(response.text)")
            #expect(code(response) == "rpc/invalid-argument")
            #expect(bundles.guests.begun == 0)
        }
    }

    @Test(
        "a document of another form is refused by its number and field",
        arguments: [
            (#"{"name":"a","json":"{}","changedAtMs":1}"#, "documents[1].collection"),
            (#"{"collection":"a","json":"{}","changedAtMs":1}"#, "documents[1].name"),
            (#"{"collection":"a","name":"a","json":"{}"}"#, "documents[1].changed_at_ms"),
            (
                #"{"collection":"a","name":"a","json":"{}","changedAtMs":1.5}"#,
                "documents[1].changed_at_ms"
            ),
            (#"{"collection":"a","name":"a","changedAtMs":1}"#, "documents[1].json"),
            (#"{"collection":"a","name":"a","changedAtMs":1,"document":[]}"#, "documents[1].json"),
            (
                #"{"collection":"a","name":"a","changedAtMs":1,"document":{},"json":"{}"}"#,
                "documents[1].json"
            ),
            (#"{"collection":"a","collection":"b"}"#, "documents[1]"),
            (#"{"a":tru}"#, "documents[1]"),
        ])
    func invalid(document: String, field: String) async throws {
        try await GuestBundleFixture.run { bundles in
            let valid = Self.one.dropLast(2)
            let response = try await bundles.put("\(valid),\(document)]}")
            #expect(code(response) == "rpc/invalid-argument", "\(response.text)")
            let violation = error(response)?["violations"]?.array?.first?.object
            #expect(violation?["field"]?.string == field)
        }
    }

    @Test("every truncation of a body is refused, and no change of its bytes stops the program")
    func mutations() {
        let body = Array(Self.one.utf8)
        for count in 0..<body.count {
            #expect(throws: CallFailure.self) { try GuestBundle(Array(body.prefix(count))) }
        }
        let randomness = SeededRandomness(seed: 16)
        let marks = Array(#"{}[]",:\"#.utf8)
        for _ in 0..<5_000 {
            var bytes = body
            for _ in 0...(randomness.next() % 3) {
                let place = Int(randomness.next() % UInt64(bytes.count))
                switch randomness.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: randomness.next())
                case 1: bytes.remove(at: place)
                default:
                    bytes.insert(marks[Int(randomness.next() % UInt64(marks.count))], at: place)
                }
            }
            guard let bundle = try? GuestBundle(bytes) else { continue }
            for index in 0..<bundle.count { _ = try? bundle.document(at: index) }
        }
    }

    @Test("a body of more than 2 MiB is refused with 413")
    func large() async throws {
        try await GuestBundleFixture.run { bundles in
            let response = try await bundles.put("", ["content-length": "2097153"])
            #expect(response.status == 413)
            #expect(bundles.guests.begun == 0)
        }
    }

    @Test("nested lists of 64 KiB are refused without reading them deeper than a document may be")
    func nested() async throws {
        try await GuestBundleFixture.run { bundles in
            let deep = String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
            let response = try await bundles.put(#"{"documents":[{"document":{"a":\#(deep)}}]}"#)
            #expect(code(response) == "rpc/invalid-argument")
        }
    }

    @Test("the longest document passes with all its bytes escaped; a longer one is not read")
    func long() async throws {
        try await GuestBundleFixture.run { bundles in
            let json = #"{"a":""# + String(repeating: "d", count: 64 * 1_024 - 8) + #""}"#
            let escaped = json.utf8.map { #"\u00"# + String($0, radix: 16) }.joined()
            func bundle(_ json: String) -> String {
                #"{"documents":[{"collection":"a","name":"b","changedAtMs":1,"json":"\#(json)"}]}"#
            }
            #expect(try await bundles.put(bundle(escaped)).status == 200)
            #expect(bundles.guests.documents.map(\.json) == [json])

            let long = try await bundles.put(bundle(escaped + String(repeating: " ", count: 5_000)))
            #expect(code(long) == "auth/invalid-document", "\(long.text)")
            let violation = error(long)?["violations"]?.array?.first?.object
            #expect(violation?["field"]?.string == "documents[0].json")
            #expect(violation?["rule"]?.string == "json")
        }
    }

    @Test("4 bundles of one client are read at a time; others still upload")
    func fromOneAddress() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        try await GuestBundleFixture.run(FakeGuests(gate: gate)) { bundles in
            try await withThrowingTaskGroup(of: Int.self) { group in
                func upload(from address: String) {
                    group.addTask {
                        try await bundles.put(Self.one, ["x-forwarded-for": address]).status
                    }
                }
                // One client has all addresses of an IPv6 /64.
                for number in 1...GuestBundleResponder.uploads.perAddress {
                    upload(from: "2001:db8::\(number)")
                }
                while bundles.guests.begun < GuestBundleResponder.uploads.perAddress {
                    await Task.yield()
                }
                let refused = try await bundles.put(Self.one, ["x-forwarded-for": "2001:db8::9"])
                #expect(refused.status == 429)
                #expect(code(refused) == "rpc/resource-exhausted")
                for address in ["2001:db8:0:1::1", "203.0.113.7"] { upload(from: address) }
                while bundles.guests.begun < GuestBundleResponder.uploads.perAddress + 2 {
                    await Task.yield()
                }
                opening.finish()
                for try await status in group { #expect(status == 200) }
            }
            let again = try await bundles.put(Self.one, ["x-forwarded-for": "2001:db8::9"])
            #expect(again.status == 200)
        }
    }

    @Test("32 bundles are read at a time; one more may be repeated")
    func many() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        try await GuestBundleFixture.run(FakeGuests(gate: gate)) { bundles in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<GuestBundleResponder.uploads.total {
                    group.addTask { try await bundles.put(Self.one).status }
                }
                while bundles.guests.begun < GuestBundleResponder.uploads.total {
                    await Task.yield()
                }
                let refused = try await bundles.put(Self.one)
                #expect(refused.status == 429)
                #expect(code(refused) == "rpc/resource-exhausted")
                opening.finish()
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await bundles.put(Self.one).status == 200)
        }
    }
}
