import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

/// An account with a password and a proved address, and a guest, each with a session.
struct GuestDataFixture: Sendable {
    let identity: IdentityFixture
    /// "acc_…"
    let account: String
    /// An access token of the account.
    let token: String
    let guest: (account: String, token: String)

    init(
        _ mode: GuestDataMode = .ask, rules: String? = nil,
        isProved: Bool = true, settings: DocumentSettings = DocumentSettings(),
        engine: (any SQLEngine)? = nil
    ) async throws {
        identity = try IdentityFixture(
            rules: rules, guestData: mode, documents: settings, engine: engine)
        account =
            isProved
            ? try await identity.registerProved().accountId : try await identity.member().id
        token = identity.devices.open(account)
        guest = try await identity.guest()
    }

    var handler: GuestDataHandler { identity.service.data.guestData }
    var ofGuest: String { guest.token }

    /// Writes a document.
    func write(
        _ json: String, _ name: String, in collection: String = "settings", by token: String
    ) async throws {
        identity.time.advance(by: .milliseconds(2))
        _ = try await identity.service.data.documents.writeDocuments(
            .init(writes: [.make(collection, name, json)]), identity.relayed(token))
    }

    /// Writes a new document as a backend does; without its token and the checks of rules.
    func writeByBackend(
        _ json: String, _ name: String, in collection: String, of account: String
    ) async throws {
        let account = try #require(AccountID(text: account))
        let documents = identity.service.data.documents
        let key = DocumentKey(collection: collection, name: name)
        _ = try await identity.store.write(about: [.account(account)]) { transaction in
            let owner = try #require(try transaction.documentOwner(account))
            let change = DocumentChange(key: key, former: nil, json: json)
            return try transaction.write(
                [documents.opened(owner).sealed(change)], of: owner,
                within: DocumentQuota(isGuest: owner.isGuest, documents.settings)
            ).count
        }
    }

    /// All documents of an account: the JSON by collection and name.
    func documents(_ token: String) async throws -> [String: String] {
        var found: [String: String] = [:]
        var page = ""
        while true {
            let answer = try await identity.service.data.documents.listDocuments(
                .init(withJson: true, pageToken: page), identity.relayed(token))
            for document in answer.documents {
                found["\(document.collection)/\(document.name)"] = document.json
            }
            page = answer.nextPageToken
            if page.isEmpty { return found }
        }
    }

    /// Signs the guest in to the account; or another guest, by its token.
    func signIn(
        key: String? = nil, guest token: String? = nil
    ) async throws -> IdentityV1.VerifyPasswordResponse {
        try await identity.accounts.verifyPassword(
            .init(
                signIn: .init(
                    email: "ada@example.org", password: .init(text: "Correct7Horse"),
                    device: IdentityFixture.device)),
            identity.relayed(token ?? guest.token, key))
    }

    /// A choice token for the guest and the account.
    func choiceToken() async throws -> String {
        try #require(try await signIn().collision).choiceToken
    }

    /// Chooses.
    func choose(
        _ choice: GatewayV1.GuestDataChoice, _ choiceToken: String,
        picks: [GatewayV1.DocumentPick] = [], by token: String? = nil
    ) async throws -> GatewayV1.Migration {
        let answer = try await handler.chooseGuestData(
            .init(
                choiceToken: choiceToken, choice: choice,
                picks: picks), identity.relayed(token ?? self.token))
        return try #require(answer.migration)
    }

    /// Signs in, chooses to merge, and lets the job work.
    func merge(
        picks: [GatewayV1.DocumentPick] = []
    ) async throws -> GatewayV1.Migration {
        let chosen = try await choose(.merge, try await choiceToken(), picks: picks)
        try await handler.job.run()
        return try await migration(chosen.migrationId)
    }

    /// A migration; by default the latest.
    func migration(_ id: String = "") async throws -> GatewayV1.Migration {
        let answer = try await handler.getMigration(
            .init(migrationId: id), identity.relayed(token))
        return try #require(answer.migration)
    }

    /// The states of a migration.
    func watchMigration(
        _ request: GatewayV1.WatchMigrationRequest
    ) -> IncomingItems<GatewayV1.WatchMigrationItem>.AsyncIterator {
        IncomingItems.inProcess {
            try await handler.watchMigration(request, $0, identity.relayed(token))
        }.makeAsyncIterator()
    }

    func retry(_ id: String, drop: Bool = false) async throws -> GatewayV1.Migration {
        let answer = try await handler.retryMigration(
            .init(migrationId: id, drop: drop), identity.relayed(token))
        return try #require(answer.migration)
    }

    /// Uploads a bundle.
    /// - Returns: the last item.
    func upload(
        _ documents: [GatewayV1.BundledDocument], announced: Int? = nil, key: String? = nil,
        by token: String? = nil
    ) async throws -> GatewayV1.UploadGuestBundleItem {
        let context = identity.relayed(token ?? self.token, key)
        let call = BidirectionalCall.inProcess {
            try await handler.uploadGuestBundle($0, $1, context)
        }
        let head = GatewayV1.GuestBundleHead(documents: UInt32(announced ?? documents.count))
        async let sent: Void = {
            // A refused upload ends the items; its error is that of the answer.
            try? await call.outgoing.write(.init(part: .head(head)))
            for document in documents {
                try? await call.outgoing.write(.init(part: .document(document)))
            }
            call.outgoing.finish()
        }()
        var last: GatewayV1.UploadGuestBundleItem?
        for try await item in call.incoming { last = item }
        await sent
        return try #require(last)
    }

    /// Changes the guest's status.
    func apply(_ event: AccountEvent) async throws {
        let account = try #require(AccountID(text: guest.account))
        _ = try await identity.store.write(about: [.account(account)]) {
            try $0.apply(event, account)
        }
    }

    /// Whether the deletion of the guest has begun.
    func isGuestEnding() async throws -> Bool {
        let account = try #require(AccountID(text: guest.account))
        return try await identity.store.read { try $0.deletion(of: account) } != nil
    }
}

extension GatewayV1.BundledDocument {
    static func make(
        _ name: String, _ json: String = "{}", in collection: String = "settings",
        at changedAt: Int64 = 0
    ) -> Self {
        .init(collection: collection, name: name, json: json, changedAtMs: changedAt)
    }
}
