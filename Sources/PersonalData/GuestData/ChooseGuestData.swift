import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension GuestDataHandler {
    /// Picks of one call: as many documents as an account has by default.
    static let picksMax = 200

    /// Says what happens to a guest's documents (G-16). The first choice counts: a repeat gets its
    /// migration.
    func chooseGuestData(
        _ request: GatewayV1.ChooseGuestDataRequest, _ call: AccountCall
    ) async throws -> GatewayV1.ChooseGuestDataResponse {
        guard let chosen = GuestDataChoice(request.choice) else {
            throw ServiceError(.invalidArgument, fields: ["choice"])
        }
        try Self.check(request.picks, chosen)
        let choice = try choice(request.choiceToken, of: call.account)
        let id = MigrationID.drawn(from: randomness)
        let migration = try await store.write(
            about: [.account(choice.account), .account(choice.guest)]
        ) { transaction in
            let row = try transaction.callersRow(choice.account)
            if let first = try transaction.migration(ofGuest: choice.guest) {
                guard first.account == choice.account, first.choice == chosen else {
                    throw ServiceError(.invalidChoice, fields: ["choice"])
                }
                return try message(first, in: transaction)
            }
            _ = try guest(of: choice, in: transaction)
            try requireDocuments(of: request.picks, choice, in: transaction)
            let written = try guests.write(
                chosen, for: choice.guest, into: choice.account,
                sealedPicks: try sealed(request.picks, of: row, id), from: call.origin,
                as: id, transaction)
            return try message(written, in: transaction)
        }
        guests.wake()
        watchers.changed(choice.account)
        return GatewayV1.ChooseGuestDataResponse(migration: migration)
    }

    private static func check(
        _ picks: [GatewayV1.DocumentPick], _ choice: GuestDataChoice
    ) throws(ServiceError) {
        guard picks.isEmpty || choice == .merge, picks.count <= picksMax else {
            throw ServiceError(.invalidArgument, fields: ["picks"])
        }
        var seen: Set<DocumentKey> = []
        for (index, pick) in picks.enumerated() {
            let place = "picks[\(index)]."
            let key = try DocumentKey.required(
                collection: pick.collection, name: pick.name, in: place)
            guard seen.insert(key).inserted else {
                throw ServiceError(.invalidArgument, fields: ["\(place)name"])
            }
            guard DocumentSide(pick.keep) != nil else {
                throw ServiceError(.invalidArgument, fields: ["\(place)keep"])
            }
        }
    }

    /// A misspelt pick would let the other version of the document win. A document that was removed
    /// since it was shown is no mistake.
    /// - Throws: `rpc/invalid-argument` with the first pick of a document that neither side has had.
    private func requireDocuments(
        of picks: [GatewayV1.DocumentPick], _ choice: CollisionChoice, in session: some SQLSession
    ) throws {
        for (index, pick) in picks.enumerated() {
            let key = DocumentKey(collection: pick.collection, name: pick.name)
            let isKnown = try [choice.guest, choice.account].contains { account in
                try session.documentRow(keys.documents.nameKey(key, of: account), of: account)
                    != nil
            }
            guard isKnown else {
                throw ServiceError(.invalidArgument, fields: ["picks[\(index)]"])
            }
        }
    }

    private func sealed(
        _ picks: [GatewayV1.DocumentPick], of row: AccountRow, _ migration: MigrationID
    ) throws -> [UInt8]? {
        guard !picks.isEmpty else { return nil }
        return try reader.vault(row).seal(
            IdentityV1.StoredPicks(picks: picks).encoded(),
            .migrationPicks(migration.key))
    }
}

extension DocumentSide {
    /// The side of a message.
    /// - Returns: nil if it is missing or unknown.
    init?(_ message: GatewayV1.DocumentOwner) {
        switch message {
        case .guest: self = .guest
        case .account: self = .account
        default: return nil
        }
    }

    /// The side in a message.
    var message: GatewayV1.DocumentOwner {
        switch self {
        case .guest: .guest
        case .account: .account
        }
    }
}

extension StoredMigration {
    /// The sides that were picked, by document.
    /// - Throws: if they do not decrypt.
    func picks(_ vault: AccountVault) throws -> [DocumentKey: DocumentSide] {
        guard let sealedPicks else { return [:] }
        let stored = try IdentityV1.StoredPicks(
            decoding: vault.openBytes(sealedPicks, .migrationPicks(migration.key)))
        var picks: [DocumentKey: DocumentSide] = [:]
        for pick in stored.picks {
            picks[DocumentKey(collection: pick.collection, name: pick.name)] =
                DocumentSide(pick.keep)
        }
        return picks
    }
}
