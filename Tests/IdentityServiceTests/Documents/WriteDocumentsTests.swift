import Contracts
import Cryptography
import FoundationEssentials
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-07: documents are written")
struct WriteDocumentsTests {
    @Test("a document is read as it was written, and each write counts its version up")
    func versions() async throws {
        let fixture = try await DocumentFixture()
        let first = try await fixture.write(#"{ "theme" : "dark", "size": 1.5 }"#)
        #expect(first.version == 1)
        #expect(first.changedAtMs == fixture.identity.time.now().milliseconds)
        #expect(try await fixture.read().json == #"{"theme":"dark","size":1.5}"#)
        #expect(try await fixture.write("{}").version == 2)
        #expect(try await fixture.write("{}", to: "other").version == 1)
        let missing = try await refusal { try await fixture.read("none") }
        #expect(missing == ServiceError(.notFound, fields: ["name"]))
    }

    @Test("a write that names another version than the current one is a conflict, with that one")
    func conflicts() async throws {
        let fixture = try await DocumentFixture()
        func conflict(_ base: Int64) async throws -> Int64? {
            let error = try await refusal { try await fixture.write("{}", base: base) }
            #expect(error.code == .documentConflict)
            #expect(error.fields == ["writes[0].base_version"])
            return error.currentVersion
        }
        #expect(try await conflict(1) == 0)
        #expect(try await fixture.write("{}", base: 0).version == 1)
        #expect(try await conflict(0) == 1)
        #expect(try await fixture.write("{}", base: 1).version == 2)
        #expect(try await conflict(1) == 2)
        #expect(try await fixture.remove(base: 2))
        // It does not exist, and its versions go on.
        #expect(try await conflict(2) == 0)
        #expect(try await fixture.write("{}", base: 0).version == 4)
        let negative = try await refusal { try await fixture.write("{}", base: -1) }
        #expect(negative == ServiceError(.invalidArgument, fields: ["writes[0].base_version"]))
    }

    @Test("a partial update replaces and removes top-level fields")
    func merged() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write(#"{"a":1,"b":{"c":2},"d":null}"#, merge: true)
        #expect(try await fixture.read().json == #"{"a":1,"b":{"c":2}}"#)
        _ = try await fixture.write(#"{"a":null,"b":{"e":3},"f":[1]}"#, merge: true)
        #expect(try await fixture.read().json == #"{"b":{"e":3},"f":[1]}"#)
        _ = try await fixture.write(#"{"a":null}"#)
        #expect(try await fixture.read().json == #"{"a":null}"#)
    }

    @Test("a merge that would make a document too large to be read back is refused")
    func mergedBeyondLimits() async throws {
        let fixture = try await DocumentFixture()
        func members(_ letter: String) -> String {
            "{" + (0..<600).map { "\"\(letter)\($0)\":0" }.joined(separator: ",") + "}"
        }
        _ = try await fixture.write(members("a"), merge: true)
        let error = try await refusal { try await fixture.write(members("b"), merge: true) }
        #expect(error.code == .invalidDocument && error.fields == ["writes[0].json"])
        #expect(try await fixture.write(#"{"a0":null}"#, merge: true).version == 2)
        #expect(try await fixture.remove())
    }

    @Test("of several documents all are written, or none")
    func several() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write("{}", to: "b")
        let error = try await refusal {
            try await fixture.write([
                .make("settings", "a", "{}"), .make("settings", "b", "{}", base: 0),
            ])
        }
        #expect(error.code == .documentConflict && error.currentVersion == 1)
        #expect(error.fields == ["writes[1].base_version"])
        #expect(try await fixture.list().documents.map(\.name) == ["b"])
        let written = try await fixture.write([
            .make("settings", "a", "{}"), .make("goals", "main", "{}"),
        ])
        #expect(written.map(\.collection) == ["settings", "goals"])
        #expect(try await fixture.list().documents.map(\.name) == ["b", "a", "main"])
        #expect(try await fixture.documentsWritten() == 3)
    }

    @Test(
        "a request with an invalid name or number of documents is refused",
        arguments: [
            ("", "a", "collection"), ("Settings", "a", "collection"),
            ("unknown", "a", "collection"), (String(repeating: "a", count: 65), "a", "collection"),
            ("settings", "", "name"), ("settings", "a\nb", "name"), ("settings", "a\u{0}", "name"),
            ("settings", "\u{85}", "name"),
            ("settings", String(repeating: "a", count: 129), "name"),
        ])
    func names(collection: String, name: String, field: String) async throws {
        let fixture = try await DocumentFixture()
        let error = try await refusal {
            try await fixture.write("{}", to: name, in: collection)
        }
        #expect(error.code == .invalidArgument && error.fields == ["writes[0].\(field)"])
        // For the developer of an app: the one mistake that is in the operator's file.
        let isUndeclared = error.violations.first?.userMessage.contains("rules-file") == true
        #expect(isUndeclared == (collection == "unknown"))
    }

    @Test("a document is at most once in a request, and a request has 1 to 50")
    func counts() async throws {
        let fixture = try await DocumentFixture()
        let twice = try await refusal {
            try await fixture.write([
                .make("settings", "a", "{}"), .make("settings", "a", "{}"),
            ])
        }
        #expect(twice == ServiceError(.invalidArgument, fields: ["writes[1].name"]))
        for count in [0, 51] {
            let error = try await refusal {
                try await fixture.write(
                    (0..<count).map { .make("settings", "\($0)", "{}") })
            }
            #expect(error == ServiceError(.invalidArgument, fields: ["writes"]))
        }
        #expect(
            try await fixture.write((0..<50).map { .make("settings", "\($0)", "{}") }).count == 50)
    }

    @Test(
        "hostile JSON is refused",
        arguments: [
            "", "[]", "1", "null", "{", #"{"a":1,"a":2}"#, #"{"a":"\u0000"}"#, #"{"a":1}{}"#,
            #"{"a":9223372036854775808}"#, #"{"a":[-9223372036854775809]}"#,
            #"{"a":"\ud800"}"#, #"{"a":1e999}"#, "{\"a\":NaN}", #"{a:1}"#, "\u{FEFF}{}",
            #"{"a":"# + String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
                + "}",
            #"{"a":""# + String(repeating: "x", count: 64 << 10) + #""}"#,
            // Each line break is six bytes in the stored text.
            #"{"a":""# + String(repeating: #"\n"#, count: 20_000) + #""}"#,
            "{" + (0...1_000).map { "\"\($0)\":1" }.joined(separator: ",") + "}",
        ])
    func hostile(json: String) async throws {
        let fixture = try await DocumentFixture()
        let error = try await refusal { try await fixture.write(json) }
        #expect(error.code == .invalidDocument)
        #expect(error.violations.map(\.field) == ["writes[0].json"])
        #expect(error.violations.map(\.rule) == ["json"])
    }

    @Test("the largest document is accepted, and not larger by a partial update")
    func largest() async throws {
        let fixture = try await DocumentFixture()
        let text = #"{"a":""# + String(repeating: "x", count: (64 << 10) - 8) + #""}"#
        #expect(text.utf8.count == 64 << 10)
        #expect(try await fixture.write(text).version == 1)
        #expect(try await fixture.read().json == text)
        let error = try await refusal { try await fixture.write(#"{"b":1}"#, merge: true) }
        #expect(error.code == .invalidDocument)
    }

    @Test("a repeat by its idempotency key gets the first answer, and another request none")
    func repeats() async throws {
        let fixture = try await DocumentFixture()
        let first = try await fixture.write(#"{"a":1}"#, key: "k")
        fixture.identity.time.advance(by: .seconds(5))
        _ = try await fixture.write(#"{"a":2}"#)
        #expect(try await fixture.write(#"{"a":1}"#, key: "k") == first)
        #expect(try await fixture.read().json == #"{"a":2}"#)
        let other = try await refusal { try await fixture.write(#"{"a":3}"#, key: "k") }
        #expect(other.code == .idempotencyKeyReused)
        #expect(try await fixture.remove(key: "r"))
        #expect(try await fixture.remove(key: "r"))
        #expect(try await !fixture.remove())
    }

    @Test("documents belong to the account of the token; others are not found")
    func others() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write("{}")
        let eve = try #require(
            try await fixture.identity.register("eve@example.org").account
        ).accountId
        let token = fixture.identity.devices.open(eve)
        let error = try await refusal {
            try await fixture.handler.readDocument(
                .init(collection: "settings", name: "main"), fixture.context(token: token))
        }
        #expect(error.code == .notFound)
    }

    @Test("without a valid token, or for an account that may not sign in, nothing is done")
    func callers() async throws {
        let fixture = try await DocumentFixture()
        let identity = fixture.identity
        func code(_ context: CallContext) async throws -> ErrorCode {
            try await refusal {
                try await fixture.handler.writeDocuments(
                    .init(writes: [.make("settings", "a", "{}")]), context)
            }.code
        }
        #expect(try await code(identity.relayed(nil)) == .invalidAccessToken)
        // Whoever else asserts a token and an address.
        #expect(
            try await code(identity.context(application: "tool").bearing(fixture.token))
                == .permissionDenied)
        #expect(try await code(identity.relayed("x")) == .invalidAccessToken)
        let expired = identity.devices.open(fixture.account)
        identity.devices.expire(expired, at: identity.time.now())
        #expect(try await code(identity.relayed(expired)) == .invalidAccessToken)
        let ended = identity.devices.open(fixture.account)
        identity.devices.end(ended)
        #expect(try await code(identity.relayed(ended)) == .sessionEnded)
        try await identity.change("UPDATE accounts SET status = 2")
        #expect(try await code(fixture.context()) == .accountDisabled)
        #expect(try await identity.count("documents") == 0)
    }

    @Test("A-02: neither names nor content are readable in the store's file or in the log")
    func sealed() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write(#"{"canary":"canary"}"#, to: "canary-name", key: "canary-key")
        _ = try await fixture.write("{}", to: "canary-other")
        _ = try await fixture.remove("canary-other")
        let identity = fixture.identity
        identity.store.close()
        let stored = try identity.store.storedBytes()
        #expect(stored.count > 256)
        let bytes = identity.log.bytes + stored
        #expect(!String(decoding: bytes, as: UTF8.self).contains("canary"))
    }

    @Test("A-02: a payload that was copied to another row cannot be opened")
    func moved() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write("{}", to: "a")
        _ = try await fixture.write("{}", to: "b")
        try await fixture.identity.change(
            """
            UPDATE documents SET payload =
                (SELECT payload FROM documents ORDER BY payload LIMIT 1)
            """)
        var refused = 0
        for name in ["a", "b"] {
            do {
                _ = try await fixture.read(name)
            } catch is SealedBoxError {
                refused += 1
            }
        }
        #expect(refused == 1)
    }
}
