import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import GatewayService

/// A stand-in for identity's admin service, which records the actor and the number of metadata
/// entries of each call.
private final class RecordingAdmin: AccountAdminAPI {
    private let state = Mutex<(actors: [String], keys: [Int])>(([], []))
    /// The fields that `listAccounts` names as invalid.
    private let invalidFields: [String]

    init(invalidFields: [String] = []) {
        self.invalidFields = invalidFields
    }

    var actors: [String] { state.withLock { $0.actors } }
    var metadataCounts: [Int] { state.withLock { $0.keys } }

    private func record(_ actor: String, _ context: CallContext) {
        state.withLock { state in
            state.actors.append(actor)
            state.keys.append(context.metadata.entries.count)
        }
    }

    func lookUpAccount(
        _ request: IdentityV1.LookUpAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.LookUpAccountResponse {
        record(request.actor, context)
        return .init()
    }

    func listAccounts(
        _ request: IdentityV1.ListAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListAccountsResponse {
        record(request.actor, context)
        guard invalidFields.isEmpty else {
            throw ServiceError(.invalidArgument, fields: invalidFields, detail: "identity's")
        }
        return .init(nextPage: request.page)
    }

    func suspendAccount(
        _ request: IdentityV1.SuspendAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SuspendAccountResponse {
        record(request.actor, context)
        return .init(changed: request.reason == "spam")
    }

    func restoreAccount(
        _ request: IdentityV1.RestoreAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.RestoreAccountResponse {
        record(request.actor, context)
        return .init()
    }

    func signOutAccount(
        _ request: IdentityV1.SignOutAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SignOutAccountResponse {
        record(request.actor, context)
        return .init()
    }

    func deleteAccount(
        _ request: IdentityV1.DeleteAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.DeleteAccountResponse {
        record(request.actor, context)
        return .init(
            deletion: .init(
                state: request.wait ? .waiting : .deleting, dueAtMs: request.backendDone ? 8 : 7))
    }

    func listDeletions(
        _ request: IdentityV1.ListDeletionsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListDeletionsResponse {
        record("", context)
        return .init(
            deletions: [
                .init(
                    accountId: "acc_1", deletion: .init(state: .deleting), step: "sessions",
                    attempts: 2, nextAttemptAtMs: 9, source: "owner", overdue: true)
            ], nextPageToken: request.pageToken)
    }

    func listUnusedGuests(
        _ request: IdentityV1.ListUnusedGuestsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListUnusedGuestsResponse {
        .init(
            guests: [.init(accountId: "acc_1", lastSeenAtMs: 1, deletedAtMs: 2)],
            nextPageToken: request.pageToken, keptDays: 180)
    }

    func listOrphans(
        _ request: IdentityV1.ListOrphansRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListOrphansResponse {
        .init(
            orphans: [
                .init(
                    kind: request.kind, accountId: "acc_1", service: "session", repairable: true)
            ], nextPageToken: request.pageToken, checkedAtMs: 3)
    }

    func repairOrphan(
        _ request: IdentityV1.RepairOrphanRequest, _ context: CallContext
    ) async throws -> IdentityV1.RepairOrphanResponse {
        record(request.actor, context)
        return .init(repaired: request.kind == "session" && request.accountId == "acc_1")
    }
}

@Suite("I-09: the gateway relays admin calls of an app's support staff to identity")
struct AdminRelayTests {
    @Test("each call is relayed to identity with the calling application in its actor")
    func relayed() async throws {
        let identity = RecordingAdmin()
        let admin = AdminHandler(
            accounts: identity, photos: PhotoURLs(["https://auth.example"]))
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = "192.0.2.7"
        let context = CallContext(
            application: "support", deadline: .seconds(10), metadata: metadata)
        _ = try await admin.lookUpAccount(.init(actor: "ann"), context)
        #expect(try await admin.listAccounts(.init(pageToken: "p"), context).nextPageToken == "p")
        #expect(
            try await admin.suspendAccount(.init(reason: "spam", actor: "ann"), context).changed)
        _ = try await admin.restoreAccount(.init(actor: "tool/eve"), context)
        _ = try await admin.signOutAccount(.init(), context)
        #expect(
            identity.actors == [
                "support/ann", "support", "support/ann", "support/tool/eve", "support",
            ])
        #expect(identity.metadataCounts == [0, 0, 0, 0, 0])
    }

    @Test("G-20: an operator's deletion and the list of deletions are relayed whole")
    func deletions() async throws {
        let identity = RecordingAdmin()
        let admin = AdminHandler(
            accounts: identity, photos: PhotoURLs(["https://auth.example"]))
        let context = CallContext(application: "support", deadline: .seconds(10))
        let waiting = try await admin.deleteAccount(
            .init(accountId: "acc_1", wait: true, actor: "ann"), context)
        #expect(waiting.deletion == .init(state: .waiting, dueAtMs: 7))
        let deleting = try await admin.deleteAccount(
            .init(accountId: "acc_1", backendDone: true), context)
        #expect(deleting.deletion == .init(state: .deleting, dueAtMs: 8))
        let page = try await admin.listDeletions(.init(pageToken: "p"), context)
        #expect(page.nextPageToken == "p")
        #expect(
            page.deletions == [
                .init(
                    accountId: "acc_1", deletion: .init(state: .deleting), step: "sessions",
                    attempts: 2, nextAttemptAtMs: 9, source: "owner", overdue: true)
            ])
        #expect(identity.actors == ["support/ann", "support", ""])
    }

    @Test("I-04: unused guests and orphans are relayed with all their fields")
    func orphans() async throws {
        let identity = RecordingAdmin()
        let admin = AdminHandler(
            accounts: identity, photos: PhotoURLs(["https://auth.example"]))
        let context = CallContext(application: "support", deadline: .seconds(10))
        let guests = try await admin.listUnusedGuests(.init(pageToken: "p"), context)
        #expect(
            guests
                == .init(
                    guests: [.init(accountId: "acc_1", lastSeenAtMs: 1, deletedAtMs: 2)],
                    nextPageToken: "p", keptDays: 180))
        let listed = try await admin.listOrphans(.init(kind: "session", pageToken: "p"), context)
        #expect(
            listed
                == .init(
                    orphans: [
                        .init(
                            kind: "session", accountId: "acc_1", service: "session",
                            repairable: true)
                    ], nextPageToken: "p", checkedAtMs: 3))
        let repaired = try await admin.repairOrphan(
            .init(kind: "session", accountId: "acc_1", actor: "ann"), context)
        #expect(repaired.repaired && identity.actors == ["support/ann"])
    }

    @Test("a bound of 0 or less is refused and never means that there is no bound")
    func bounds() async throws {
        let identity = RecordingAdmin()
        let admin = AdminHandler(
            accounts: identity, photos: PhotoURLs(["https://auth.example"]))
        let context = CallContext(application: "support", deadline: .seconds(10))
        for moment: Int64 in [0, -1, .min] {
            let requests: [(GatewayV1.ListAccountsRequest, String)] = [
                (.init(createdFrom: .createdFromAtMs(moment)), "created_from_at_ms"),
                (.init(createdBefore: .createdBeforeAtMs(moment)), "created_before_at_ms"),
                (.init(signedInFrom: .signedInFromAtMs(moment)), "signed_in_from_at_ms"),
                (.init(signedInBefore: .signedInBeforeAtMs(moment)), "signed_in_before_at_ms"),
            ]
            for (request, field) in requests {
                let error = try await refusal { try await admin.listAccounts(request, context) }
                #expect(error == ServiceError(.invalidArgument, fields: [field]))
            }
        }
        #expect(identity.actors.isEmpty)
        _ = try await admin.listAccounts(
            .init(createdFrom: .createdFromAtMs(1), signedInBefore: .signedInBeforeAtMs(1)),
            context)
        #expect(identity.actors == ["support"])
    }

    @Test(
        "identity's errors name the public fields",
        arguments: [
            "page": "page_token", "created_from_ms": "created_from_at_ms",
            "created_before_ms": "created_before_at_ms",
            "signed_in_from_ms": "signed_in_from_at_ms",
            "signed_in_before_ms": "signed_in_before_at_ms", "status": "status",
        ])
    func fields(inner: String, field: String) async throws {
        let admin = AdminHandler(
            accounts: RecordingAdmin(invalidFields: [inner]),
            photos: PhotoURLs(["https://auth.example"]))
        let error = try await refusal {
            try await admin.listAccounts(
                .init(), CallContext(application: "support", deadline: .seconds(10)))
        }
        #expect(
            error == ServiceError(.invalidArgument, fields: [field], detail: "identity's"))
    }

    @Test("only callers named in the list of callers may call the admin service")
    func named() {
        let methods = AdminDescription.service.methods
        #expect(methods.count == 10)
        #expect(methods.allSatisfy { $0.isForNamedCallersOnly })
        #expect(AuthDescription.service.methods.allSatisfy { !$0.isForNamedCallersOnly })
    }
}
