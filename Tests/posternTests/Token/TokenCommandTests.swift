import ArgumentParser
import Cryptography
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("postern token app")
struct TokenCommandTests {
    private static let method = "postern.gateway.v1.Auth/SignInWithPassword"
    private let folder: TemporaryFolder
    private let now = Timestamp(milliseconds: 1_700_000_000_500)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func command(_ arguments: String...) throws -> TokenCommand.App {
        try TokenCommand.App.parse(["--method", Self.method] + arguments)
    }

    private func makeKey(_ name: String) throws -> ApplicationKey {
        let path = folder.file(name)
        try SecretFile.create(
            path, Ed25519SigningKey.generatePEM(randomness: SeededRandomness(seed: 1)))
        return try ApplicationKey(file: path)
    }

    @Test("X-03: the token is valid for the application, method, audience, body and a minute")
    func token() throws {
        let key = try makeKey("billing.k3.key")
        let body = try folder.write("{\"email\":\"ada@example.org\"}", to: "body.json")
        let text = try command(
            "--audience", "https://auth.example.org", "--body", body, "--client-address",
            "192.0.2.7", "--idempotency-key", "key-1"
        ).token(signedBy: key, at: now)
        let token = try ApplicationToken(text)
        #expect(token.keyIdentifier == "billing.k3")
        let signingKey = try #require(key.key as? Ed25519SigningKey)
        let claims = try token.verified(
            by: signingKey.verifyingKey, of: "billing", method: Self.method,
            idempotencyKey: Array("key-1".utf8), audiences: ["https://auth.example.org"], at: now)
        #expect(claims.expiresAt - claims.issuedAt == .seconds(60))
        #expect(claims.clientAddress == "192.0.2.7")
        #expect(claims.bodyHash == ApplicationToken.bodyHash(of: Array(try TextFile.read(body))))
        let bare = try command().token(signedBy: key, at: now)
        let least = try ApplicationToken(bare).verified(
            by: signingKey.verifyingKey, of: "billing", method: Self.method,
            idempotencyKey: nil, audiences: ["http://localhost:7480"], at: now)
        #expect(least.bodyHash == nil && least.clientAddress == nil)
    }

    @Test("I-10: with --signed it is the token for the request, with the account and actor in it")
    func signed() throws {
        let method = "postern.gateway.v1.BackendAccounts/CreateAccount"
        let key = try makeKey("crm.k3.key")
        let signingKey = try #require(key.key as? Ed25519SigningKey)
        let file = try folder.write(
            #"{"call":{"actor":"ann"},"email":"a@example.org","password":"p\"w","roles":["x"]}"#,
            to: "request.json")
        let text = try TokenCommand.App.parse([
            "--method", method, "--signed", file, "--idempotency-key", "k",
        ]).token(signedBy: key, at: now)
        let claims = try ApplicationToken(text).verified(
            by: signingKey.verifyingKey, of: "crm", method: method,
            idempotencyKey: Array("k".utf8), audiences: ["http://localhost:7480"], at: now)
        let head = ["postern accounts v1", "", "ann"].map { Array($0.utf8) }
        let parts: [[UInt8]] = [
            [1] + Array("a@example.org".utf8), [0], [0], [1] + Array(#"p"w"#.utf8), [0], [0],
            [1] + Array(#"["x"]"#.utf8), [0], [0],
        ]
        #expect(
            claims.bodyHash == ApplicationToken.bodyHash(of: DelimitedParts.joined(head + parts)))
        for arguments in [
            ["--signed", file, "--body", file], ["--signed", file, "--account", "acc_1"],
            ["--account", "acc_1"],
        ] {
            #expect(throws: (any Error).self) {
                try TokenCommand.App.parse(["--method", method] + arguments)
            }
        }
    }

    @Test("N-02: with --account it is the token for the request's own field")
    func ofRequest() throws {
        let method = "postern.gateway.v1.BackendPush/SendPushMessage"
        let key = try makeKey("billing.k3.key")
        let signingKey = try #require(key.key as? Ed25519SigningKey)
        let body = try folder.write(
            #"{"title":"Hi","data":[{"key":"a","value":"b"}],"expiresAtMs":"7"}"#, to: "push.json")
        let text = try TokenCommand.App.parse([
            "--method", method, "--body", body, "--account", "acc_1", "--actor", "ann",
            "--idempotency-key", "k",
        ]).token(signedBy: key, at: now)
        let claims = try ApplicationToken(text).verified(
            by: signingKey.verifyingKey, of: "billing", method: method,
            idempotencyKey: Array("k".utf8), audiences: ["http://localhost:7480"], at: now)
        let head = ["postern push v1", "acc_1", "ann"].map { Array($0.utf8) }
        let parts: [[UInt8]] = [
            [1] + Array("Hi".utf8), [0], [1] + Array(#"[{"key":"a","value":"b"}]"#.utf8), [0],
            [1] + Array("7".utf8),
        ]
        #expect(
            claims.bodyHash == ApplicationToken.bodyHash(of: DelimitedParts.joined(head + parts)))
        let misspelt = try folder.write(#"{"titel":"Hi"}"#, to: "wrong.json")
        #expect(throws: ToolError.self) {
            try TokenCommand.App.parse([
                "--method", method, "--body", misspelt, "--account", "acc_1",
            ]).token(signedBy: key, at: now)
        }
        for arguments in [
            ["--method", method, "--account", "acc_1"],
            ["--method", Self.method, "--account", "acc_1", "--body", body],
        ] {
            #expect(throws: (any Error).self) { try TokenCommand.App.parse(arguments) }
        }
    }

    @Test("the hash of an empty body is base64url without padding")
    func emptyBody() {
        // openssl dgst -sha256 -binary </dev/null | basenc --base64url
        let expected = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
        #expect(ApplicationToken.bodyHash(of: []) == expected)
    }

    @Test("an origin with a path, a pattern of methods and a name as an address are errors")
    func invalid() {
        for arguments in [
            ["--method", Self.method, "--audience", "https://auth.example.org/"],
            ["--method", Self.method, "--client-address", "localhost"],
            ["--method", "postern.gateway.v1.Auth/*"], ["--method", "public-methods"],
            ["--method", "SignOut"], [],
        ] {
            #expect(throws: (any Error).self, "\(arguments)") {
                try TokenCommand.App.parse(arguments)
            }
        }
    }

    @Test("H3: a shared key and the operator's key make no tokens, and the error says what to do")
    func otherKeys() throws {
        try SecretFile.create(
            folder.file("app.k1.key"), .generate(count: 32, randomness: SeededRandomness(seed: 1)))
        let shared = try ApplicationKey(file: folder.file("app.k1.key"))
        let error = #expect(throws: ToolError.self) {
            try command().token(signedBy: shared, at: now)
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("applications rotate app"))
        let tool = try makeKey("tool.k1.key")
        #expect(throws: ToolError.self) { try command().token(signedBy: tool, at: now) }
    }
}
