import Cryptography
import Foundation
import JSON
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

/// Random responses and their mutations, judged here and by two libraries of others
/// (`Tests/Interop/passkeys.py`). `docker/soak.sh` judges 10,000.
@Suite("F-01: responses of passkeys, judged by PyPI's webauthn and fido2 too")
struct PasskeyComparisonTests {
    private static let checkout = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    private static let python = "\(checkout)/.build/venv/bin/python"
    private static let count = SoakRounds.isLong ? 10_000 : 200

    /// What is judged otherwise here on purpose: what was done, how it is judged here, and why.
    private static let differences: [(what: [String], here: [PasskeyRefusal?], why: String)] = [
        (["frame.cross", "frame.text", "frame.null"], [.crossOrigin], "they ignore frames"),
        (["frame.top"], [.topOrigin], "they ignore frames"),
        (["challenge.padded"], [.challengeUnknown], "they compare what is decoded"),
        (
            [
                "client.twice", "client.nul", "client.surrogate", "client.number", "client.nan",
                "client.deep", "client.long",
            ], [.clientData], "Python's JSON takes more than RFC 8259, and any length"
        ),
        (["client.mark"], [nil], "fido2 does not skip a byte order mark"),
        (["extensions.array"], [.authenticatorData], "they take any value as extensions"),
        (["id.15", "id.1024"], [.identifierLength], "they look at no length"),
        (["spoiled.id"], [.identifier, .identifierLength], "fido2 does not compare the ids"),
        (["credential.id"], [.identifier], "they do not compare the ids"),
        (
            ["text.clientDataJSON", "text.attestationObject"], [.clientData, .attestationObject],
            "they skip padding and unused bits of Base64url"
        ),
        (
            ["text.authenticatorData", "text.signature"], [.authenticatorData, .signature],
            "they skip padding and unused bits of Base64url"
        ),
        (["handle.other"], [.userHandle], "they leave the handle to the caller"),
        (["count.equal", "count.behind"], [nil], "webauthn refuses a count that does not rise"),
        (
            ["attestation.statement", "attestation.format"], [nil],
            "webauthn reads the attestation"
        ),
        (["cbor.long.outer"], [.attestationObject], "they take numbers in any length"),
        (
            [
                "key.more", "key.private", "key.kind", "key.curve", "key.off-curve",
                "key.compressed",
            ],
            [.publicKey], "they look at a key when it is to verify a signature"
        ),
        (
            ["key.short-x", "key.small-order", "key.rsa-1024", "key.rsa-8192", "key.rsa-exponent"],
            [.publicKey], "they look at a key when it is to verify a signature"
        ),
        (["key.algorithm"], [.publicKey], "they do not compare a key's kind with its algorithm"),
        (
            ["spoiled.attestationObject", "text.attestationObject"],
            [.attestationObject, .authenticatorData, .identifier, .publicKey, nil],
            "as above, by chance: in the key, the ids, the attestation, a length"
        ),
    ]

    private let relyingParty: PasskeyRelyingParty
    private let adding: PasskeyChallenge.Purpose

    init() throws {
        let id = try #require(PasskeyRPID("example.org"))
        relyingParty = PasskeyRelyingParty(
            id: id, origins: [try #require(PasskeyOrigin("https://example.org", of: id))],
            related: [])
        adding = .adding(
            try #require(AccountID(key: 1)), try #require(SessionID(key: 1)), isAutomatic: false)
    }

    @Test(
        "they are accepted here where both accept them, but for what is listed with its reason",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: python),
            "docker/test.sh makes the Python environment"))
    func comparison() throws {
        let seed = SoakRounds.seed ?? 1
        let run = try SystemCommand(
            Self.python,
            ["\(Self.checkout)/Tests/Interop/passkeys.py", "\(seed)", "\(Self.count)"])
        try #require(run.exitCode == 0)
        let lines = run.said.utf8.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == Self.count)
        var accepted = 0
        var seen: Set<String> = []
        for line in lines {
            let response = try #require(JSONReader.object(in: Array(line)))
            func text(_ name: String) throws -> String {
                try #require(response[name]?.string, "\(name)")
            }
            let what = try text("what")
            let here = try refusal(of: response)
            let others = try [text("webauthn"), text("fido2")]
            if here == nil { accepted += 1 }
            guard (here == nil) != (others == ["", ""]) else { continue }
            let row = Self.differences.first { $0.what.contains(what) && $0.here.contains(here) }
            #expect(
                row != nil,
                "seed \(seed): \(what): here \(here?.rawValue ?? "accepted"), there \(others)")
            if row != nil { seen.insert(what) }
        }
        #expect(accepted > Self.count / 8)
        if SoakRounds.isLong {
            // What was done at random may not have met each row.
            let rows = Self.differences.flatMap(\.what)
                .filter { !$0.hasPrefix("text.") && !$0.hasPrefix("spoiled.") }
            #expect(Set(rows).subtracting(seen) == [], "rows that nothing needs")
        }
    }

    /// Why the rule refuses a response; nil if it accepts it.
    private func refusal(of response: JSONObject) throws -> PasskeyRefusal? {
        func text(_ name: String) throws -> String {
            try #require(response[name]?.string, "\(name)")
        }
        let challenge = try text("challenge")
        let id = try #require(Base64URL.decode(try text("knownId").utf8))
        let key = try #require(Base64URL.decode(try text("knownKey").utf8))
        let known = KnownPasskey(
            id: id, key: key, userHandle: [UInt8](repeating: 0xA1, count: 32),
            relyingParty: "example.org",
            signCount: UInt32(try #require(response["knownCount"]?.integer)), backup: [])
        do {
            if try text("kind") == "registration" {
                _ = try PasskeyRule.registered(
                    by: RegistrationResponse(
                        id: text("id"), rawID: text("rawId"), type: text("type"),
                        clientDataJSON: text("clientDataJSON"),
                        attestationObject: text("attestationObject")),
                    answering: PasskeyChallenge(text: challenge, purpose: adding),
                    at: relyingParty)
            } else {
                _ = try PasskeyRule.use(
                    of: known,
                    by: AssertionResponse(
                        id: text("id"), rawID: text("rawId"), type: text("type"),
                        clientDataJSON: text("clientDataJSON"),
                        authenticatorData: text("authenticatorData"), signature: text("signature"),
                        userHandle: text("userHandle")),
                    answering: PasskeyChallenge(text: challenge, purpose: .signIn), allowed: nil,
                    at: relyingParty)
            }
            return nil
        } catch let refusal as PasskeyRefusal {
            return refusal
        }
    }
}
