import Cryptography
import Foundation
import ServiceRuntime
import Testing

@testable import IdentityService

/// The test vectors of Web Authentication Level 3, section 16.
@Suite("F-01: the test vectors of the W3C")
struct W3CVectorTests {
    private struct Vector {
        let name: String
        private let values: [String: [UInt8]]

        init(name: String, values: [String: [UInt8]]) {
            self.name = name
            self.values = values
        }

        func bytes(_ value: String) throws -> [UInt8] { try #require(values[value], "\(value)") }

        func text(_ value: String) throws -> String { Base64URL.encode(try bytes(value)) }

        static func all() throws -> [Vector] {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "w3c-vectors.txt")
            let text = try String(contentsOf: file, encoding: .utf8)
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
                .map { $0.split(separator: " ").map(String.init) }
            let names = lines.reduce(into: [String]()) { names, line in
                if names.last != line[0] { names.append(line[0]) }
            }
            return try names.map { name in
                let values = try lines.filter { $0[0] == name }.map { line in
                    ("\(line[1]) \(line[2])", try #require(Hex.decode(line[3].utf8)))
                }
                return Vector(name: name, values: Dictionary(uniqueKeysWithValues: values))
            }
        }
    }

    /// Those that are refused, and why.
    private static let refused: [String: PasskeyRefusal] = [
        "none.ES256.crossOrigin": .crossOrigin,
        // It has crossOrigin too.
        "none.ES256.topOrigin": .crossOrigin,
        "packed.ES384": .algorithm, "packed.ES512": .algorithm, "packed.Ed448": .algorithm,
    ]

    private let relyingParty: PasskeyRelyingParty
    private let account: AccountID
    private let session: SessionID

    init() throws {
        let id = try #require(PasskeyRPID("example.org"))
        relyingParty = PasskeyRelyingParty(
            id: id, origins: [try #require(PasskeyOrigin("https://example.org", of: id))],
            related: [])
        account = try #require(AccountID(key: 1))
        session = try #require(SessionID(key: 1))
    }

    /// UV is unset in some, which only a passkey that a browser adds by itself may be.
    private func registered(_ vector: Vector) throws -> NewPasskey {
        let id = try vector.text("registration id")
        return try PasskeyRule.registered(
            by: RegistrationResponse(
                id: id, rawID: id, type: "public-key",
                clientDataJSON: vector.text("registration clientDataJSON"),
                attestationObject: vector.text("registration attestationObject")),
            answering: PasskeyChallenge(
                text: vector.text("registration challenge"),
                purpose: .adding(account, session, isAutomatic: true)), at: relyingParty)
    }

    private func used(_ vector: Vector, _ passkey: KnownPasskey) throws -> PasskeyUse {
        let id = try vector.text("registration id")
        return try PasskeyRule.use(
            of: passkey,
            by: AssertionResponse(
                id: id, rawID: id, type: "public-key",
                clientDataJSON: vector.text("assertion clientDataJSON"),
                authenticatorData: vector.text("assertion authenticatorData"),
                signature: vector.text("assertion signature"), userHandle: ""),
            answering: PasskeyChallenge(
                text: vector.text("assertion challenge"), purpose: .signIn), allowed: nil,
            requiring: .userPresent, at: relyingParty)
    }

    @Test("all are accepted but those in frames and of algorithms that are not offered")
    func vectors() throws {
        let vectors = try Vector.all()
        #expect(vectors.count == 15)
        #expect(Set(Self.refused.keys).isSubset(of: vectors.map(\.name)))
        for vector in vectors {
            if let refusal = Self.refused[vector.name] {
                #expect(throws: refusal, "\(vector.name)") { try registered(vector) }
                continue
            }
            let added = try registered(vector)
            #expect(added.id == (try vector.bytes("registration id")), "\(vector.name)")
            let known = KnownPasskey(
                id: added.id, key: added.key, userHandle: [1], relyingParty: "example.org",
                signCount: added.signCount, backup: added.backup)
            let use = try used(vector, known)
            #expect(!use.isCounterBehind && !use.hasBackupChanged, "\(vector.name)")
        }
    }

    @Test("each bit of what is signed counts")
    func bits() throws {
        let vector = try #require(try Vector.all().first)
        let added = try registered(vector)
        let key = try COSEKey(added.key)
        let data = try vector.bytes("assertion authenticatorData")
        let clientData = try vector.bytes("assertion clientDataJSON")
        let signature = try vector.bytes("assertion signature")
        #expect(key.verifies(signature, of: data + SHA256.hash(clientData)))
        for place in data.indices {
            for bit in 0..<8 {
                var changed = data
                changed[place] ^= 1 << UInt8(bit)
                #expect(!key.verifies(signature, of: changed + SHA256.hash(clientData)))
            }
        }
        for place in clientData.indices {
            var changed = clientData
            changed[place] ^= 1
            #expect(!key.verifies(signature, of: data + SHA256.hash(changed)))
        }
    }
}
