import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("G-25: answers that were stored before fingerprints were of whole requests")
struct FormerRepeatTests {
    /// Stores an answer as it was before 29 November 2026: under the same key, with a fingerprint of
    /// some of the request's fields.
    private func store(
        _ method: String, _ parts: [String], _ context: CallContext, _ fixture: DocumentFixture
    ) async throws {
        let former = try RepeatableCall(
            method, parts.map { Array($0.utf8) }, context, hash: fixture.identity.keys.calls)
        try await fixture.identity.store.writeUnchecked { try $0.remember(former, [0xff]) }
    }

    @Test("a repeat from before is found and refused, and nothing is done twice")
    func refused() async throws {
        let fixture = try await DocumentFixture()
        let written = try await fixture.write(#"{"a":1}"#)
        let parts = [fixture.account, "settings", "main", "", "", #"{"a":2}"#]
        try await store("WriteDocuments", parts, fixture.context("w"), fixture)
        try await store("RemoveDocument", parts.dropLast() + [""], fixture.context("r"), fixture)
        let write = GatewayV1.DocumentWrite.make("settings", "main", #"{"a":2}"#)
        let one = try await refusal {
            try await fixture.handler.writeDocument(.init(write: write), fixture.context("w"))
        }
        let several = try await refusal {
            try await fixture.handler.writeDocuments(.init(writes: [write]), fixture.context("w"))
        }
        let removal = try await refusal { try await fixture.remove(key: "r") }
        for error in [one, several, removal] { #expect(error.code == .idempotencyKeyReused) }
        #expect(try await fixture.read().version == written.version)
    }

    @Test("so is one of a display name, and of the end of an email change")
    func others() async throws {
        let fixture = try await DocumentFixture()
        let service = fixture.identity.service
        try await store(
            "UpdateProfile", [fixture.account, "Ada"], fixture.context("n"), fixture)
        try await store("CancelEmailChange", [fixture.account], fixture.context("e"), fixture)
        let name = try await refusal {
            try await service.data.profiles.updateProfile(
                .init(name: .displayName("Ada")), fixture.context("n"))
        }
        let email = try await refusal {
            try await service.core.emailChanges.cancelEmailChange(.init(), fixture.context("e"))
        }
        for error in [name, email] { #expect(error.code == .idempotencyKeyReused) }
    }
}
