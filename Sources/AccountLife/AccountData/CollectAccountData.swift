import Contracts
import IdentityService
import JSON
package import Messages
import PersonalData
package import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Sends an account's data: the account with its profile, its sign-in methods, its
    /// consents, its documents, what is moved into it, its photo, and its part of the audit trail.
    ///
    /// Not sent: the password's hash and what providers granted, which are secrets; links and codes
    /// that wait, which are secrets and expire within a week; the operator's reason of a
    /// suspension, which may name other people and is for the operator only (`suspendAccount`).
    package func collectAccountData(
        _ request: AccountDataV1.CollectAccountDataRequest,
        _ items: OutgoingItems<AccountDataV1.CollectAccountDataItem>, _ context: CallContext
    ) async throws {
        try context.requireIdentity()
        let account = try AccountDataSubject(request.subject).account
        guard let stored = try await store.read({ try $0.collected(account) }) else {
            throw ServiceError(.notFound, fields: ["subject.account_id"])
        }
        let vault = try reader.vault(stored.row)
        var file = try await AccountDataFile("account.json", items)
        try await file.append(try accountObject(stored, vault))
        try await file.end()
        var methods = try await AccountDataFile("sign-in-methods.json", items)
        for identity in stored.identities {
            try await methods.append(try Self.methodObject(identity, vault))
        }
        try await methods.end()
        var consents = try await AccountDataFile("consents.json", items)
        for given in stored.row.consents.all {
            try await consents.append(Self.consentObject(given))
        }
        if let parental = stored.parentalConsent {
            try await consents.append(try Self.parentalObject(parental, vault))
        }
        try await consents.end()
        try await sendDocuments(of: account, to: items)
        var migrations = try await AccountDataFile("guest-data.json", items)
        try await sendMigrations(of: account, vault, to: &migrations)
        try await migrations.end()
        try await sendPhoto(of: account, vault, to: items)
        var history = try await AccountDataFile("account-history.json", items)
        try await store.readHistory(of: account.key) { event in
            try await history.append([
                "at": .string(event.at.text), "event": .string(event.kind),
                "session_id": .text(event.session.flatMap { SessionID(key: $0)?.text }),
                "refused_with": .text(event.outcome), "app": .text(event.app),
            ])
        }
        try await history.end()
    }

    private func accountObject(
        _ stored: CollectedAccount, _ vault: AccountVault
    ) throws -> JSONObject {
        let row = stored.row
        let account = try reader.message(row, lastSignInAt: row.lastSignInAt)
        return [
            "account_id": .string(account.accountId), "status": .string("\(row.status)"),
            "is_guest": .boolean(row.isGuest), "created_at": .string(row.createdAt.text),
            "last_sign_in_at": .text(row.lastSignInAt?.text),
            "display_name": .string(account.displayName), "language": .string(row.language),
            "photo_url": .string(account.photoUrl), "email": .string(account.email),
            "email_verified_at": .text(row.address?.provedAt?.text),
            "phone_number": .string(account.phoneNumber),
            "sign_in_methods": .array(row.methods.map { .string($0.name) }),
            "known_devices": .integer(stored.knownDevices),
            "suspended_since": .text(stored.suspendedSince?.text),
            "imported_as": .text(
                try stored.sealedExternalID
                    .map { try ImportedID(text: vault.open($0, .externalID)).id }),
            "custom_claims": .text(
                try stored.sealedClaims.map { try vault.open($0, .customClaims) }),
            "birth_date": .text(
                try stored.sealedBirthDate.map { try vault.open($0, .birthDate) }),
        ]
    }

    private static func consentObject(_ given: GivenConsent) -> JSONObject {
        [
            "consent": .string("\(given.kind)"), "version": .string(given.version),
            "given_at": .string(given.givenAt.text),
            "withdrawn_at": .text(given.withdrawnAt?.text), "source": .string(given.source),
            "app": .string(given.app),
        ]
    }

    private static func parentalObject(
        _ consent: ParentalConsent, _ vault: AccountVault
    ) throws -> JSONObject {
        [
            "consent": .string("parent"), "state": .string("\(consent.state)"),
            "changed_at": .string(consent.changedAt.text),
            "needed_until": .string(consent.ofAgeAt.text),
            "parent_email": .text(
                try consent.sealedParent.map { try vault.open($0, .parentEmail) }),
        ]
    }

    private static func methodObject(
        _ identity: IdentityRow, _ vault: AccountVault
    ) throws -> JSONObject {
        let details = try IdentityDetails(
            text: vault.open(identity.sealedDetails, .identityDetails(identity.identity)))
        return [
            "method": .string(identity.method.name), "issuer": .string(details.issuer),
            "subject": .string(details.subject), "email": .string(details.email),
            "display_name": .string(details.displayName),
            "linked_at": .string(identity.linkedAt.text),
        ]
    }
}

extension AccountDataHandler {
    private func sendDocuments(
        of account: AccountID, to items: OutgoingItems<AccountDataV1.CollectAccountDataItem>
    ) async throws {
        var file = try await AccountDataFile("documents.json", items)
        var after: Int64 = 0
        var hasMore = true
        while hasMore {
            let page = try await documents(of: account, after: after)
            for document in page.documents {
                try await file.append([
                    "collection": .string(document.key.collection),
                    "name": .string(document.key.name),
                    "changed_at": .string(document.changedAt.text),
                    "document": DocumentText.object(in: document.json).map { .object($0) }
                        ?? .string(document.json),
                ])
            }
            after = page.documents.last?.position ?? after
            hasMore = page.hasMore
        }
        try await file.end()
    }

    private func documents(
        of account: AccountID, after position: Int64
    ) async throws -> OpenedPage {
        let selection = DocumentSelection(after: position)
        return try await store.read { session in
            guard let owner = try session.documentOwner(account) else {
                return OpenedPage(documents: [], hasMore: false)
            }
            let owned = try OwnedDocuments(of: owner, writer: writer)
            return try owned.open(session.documentPage(selection, of: account))
        }
    }

    /// Sends the photo as a file, and what is known of it.
    private func sendPhoto(
        of account: AccountID, _ vault: AccountVault,
        to items: OutgoingItems<AccountDataV1.CollectAccountDataItem>
    ) async throws {
        var file = try await AccountDataFile("photo.json", items)
        let photo = try await store.read { try $0.photo(of: account) }
        if let photo {
            try await file.append([
                "content_type": .string(photo.format.rawValue), "width": .integer(photo.width),
                "height": .integer(photo.height), "bytes": .integer(photo.bytes),
                "uploaded_at": .string(photo.uploadedAt.text),
            ])
        }
        try await file.end()
        guard let photo else { return }
        let kind = photo.format.rawValue.split(separator: "/").last ?? ""
        try await items.write(.init(part: .file("photo.\(kind)")))
        for index in 0..<photo.parts {
            guard let part = try await photo.part(index, in: blobs, vault) else { return }
            try await items.write(.init(part: .data(part)))
        }
    }
}

/// An account as its export shows it.
private struct CollectedAccount: Sendable {
    let row: AccountRow
    let identities: [IdentityRow]
    let knownDevices: Int64
    /// Nil for an account that is not suspended.
    let suspendedSince: Timestamp?
    let sealedExternalID: [UInt8]?
    let sealedClaims: [UInt8]?
    let sealedBirthDate: [UInt8]?
    let parentalConsent: ParentalConsent?
}

extension SQLSession {
    /// An account's rows; nil if there is no such account.
    fileprivate func collected(_ account: AccountID) throws -> CollectedAccount? {
        guard let row = try self.account(account) else { return nil }
        let key: [SQLValue] = [.integer(account.key)]
        return CollectedAccount(
            row: row, identities: try identities(of: account),
            knownDevices: try queryOne(
                "SELECT count(*) FROM known_devices WHERE account = ?", key
            ) { try $0.integer(0) } ?? 0,
            suspendedSince: try suspension(account)?.since,
            sealedExternalID: try queryOne(
                "SELECT external_id FROM imported_accounts WHERE account = ?", key
            ) { try $0.blob(0) },
            sealedClaims: try queryOne(
                "SELECT document FROM custom_claims WHERE account = ?", key
            ) { try $0.blob(0) },
            sealedBirthDate: try sealedBirthDate(of: account),
            parentalConsent: try parentalConsent(of: account))
    }
}
