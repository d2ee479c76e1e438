import Cryptography
import Foundation
import Messages
import NIOCore
import TestSupport
import Testing

@testable import RPC

@Suite("The test vectors on the page about the wire")
struct TestVectorTests {
    private let challenge = [UInt8](0..<32)
    private let hello = WireV1.Hello(
        version: 1, frameBytesMax: 131_072, streamCredit: 128, keepaliveFloorMs: 10_000,
        agent: "example", service: "postern.gateway", application: "app", keyId: "1")
    private let vectors: [String: [UInt8]]

    init() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let page = try String(
            contentsOf: root.appendingPathComponent("Protos/README.md"), encoding: .utf8)
        vectors = try Self.vectors(in: page)
    }

    /// The blocks that begin with "```hex NAME".
    private static func vectors(in page: String) throws -> [String: [UInt8]] {
        var vectors: [String: [UInt8]] = [:]
        for block in page.components(separatedBy: "```hex ").dropFirst() {
            let lines = block.split(separator: "\n").prefix { $0 != "```" }
            let hex = lines.dropFirst().joined()
            let bytes: [UInt8] = try #require(Hex.decode(hex.utf8))
            vectors[String(try #require(lines.first))] = bytes
        }
        return vectors
    }

    @Test("X-03: the proofs of a Hello by both kinds of key")
    func proofs() throws {
        #expect(ApplicationProof.message(challenge: challenge, hello) == vectors["covered"])
        let seed = try #require(vectors["seed"])
        let signing = try Ed25519SigningKey(
            seed: SecretBytes(count: seed.count) { $0.copyBytes(from: seed) })
        let shared = KeyedHash(key: SecretBytes(count: 32) { $0.copyBytes(from: 100..<132) })
        #expect(proof(by: signing) == vectors["signature"])
        #expect(proof(by: shared) == vectors["mac"])
    }

    @Test("the frames of a whole call")
    func frames() throws {
        var client = hello
        client.proof = try #require(vectors["signature"])
        expect(
            "server-hello",
            .hello(
                WireV1.Hello(
                    version: 1, frameBytesMax: 131_072, callsMax: 64, streamCredit: 128,
                    keepaliveFloorMs: 10_000, challenge: challenge, agent: "postern-gateway")))
        expect("client-hello", .hello(client))
        expect(
            "request",
            .request(
                WireV1.Request(
                    call: 1, method: "postern.health.v1.Health/Check", timeoutMs: 1_000)))
        let health = HealthV1.CheckResponse(status: .serving)
        expect("response", .response(WireV1.Response(call: 1, payload: health.encoded())))
    }

    private func proof(by key: any ApplicationProver) -> [UInt8] {
        ApplicationProof.make(challenge: challenge, hello, key: key)
    }

    private func expect(_ name: String, _ kind: WireV1.Frame.Kind) {
        var out = ByteBuffer()
        FrameWriter.write(kind, to: &out)
        #expect(Array(out.readableBytesView) == vectors[name], "\(name)")
    }
}
