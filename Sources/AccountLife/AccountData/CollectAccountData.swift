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
    /// Not sent: the password's hash, the secrets of second factors, the keys of passkeys and what
    /// providers granted, which are secrets; links and codes that wait, which are secrets and
    /// expire within a week; the operator's reason of a suspension, or of a removal of second
    /// factors, which may name other people and is for the operator only (`suspendAccount`).
    package func collectAccountData(
        _ request: AccountDataV1.CollectAccountDataRequest,
        _ items: OutgoingItems<AccountDataV1.CollectAccountDataItem>, _ context: CallContext
    ) async throws {
        try context.requireIdentity()
        let account = try AccountDataSubject(request.subject).account
        guard let stored = try await store.read({ try collected(account, in: $0) }) else {
            throw ServiceError(.notFound, fields: ["subject.account_id"])
        }
        var file = try await AccountDataFile("account.json", items)
        try await file.append(stored.account)
        try await file.end()
        var methods = try await AccountDataFile("sign-in-methods.json", items)
        for method in stored.methods { try await methods.append(method) }
        try await methods.end()
        var consents = try await AccountDataFile("consents.json", items)
        for consent in stored.consents { try await consents.append(consent) }
        try await consents.end()
        try await sendDocuments(of: account, to: items)
        var migrations = try await AccountDataFile("guest-data.json", items)
        try await sendMigrations(of: account, stored.vault, to: &migrations)
        try await migrations.end()
        try await sendPhoto(of: account, stored.vault, to: items)
        var history = try await AccountDataFile("account-history.json", items)
        try await store.readHistory(of: account.key) { event in
            try await history.append([
                "at": .string(event.at.text), "event": .string(event.kind),
                "session_id": .text(event.session.flatMap { SessionID(key: $0)?.text }),
                "detail": .text(event.detail), "refused_with": .text(event.outcome),
                "country": .text(event.country), "agent": .text(event.agent),
                "app": .text(event.app),
            ])
        }
        try await history.end()
    }

    /// The files of a few rows, as one snapshot has them; nil if there is no such account.
    private func collected(
        _ account: AccountID, in session: some SQLSession
    ) throws -> CollectedAccount? {
        guard let row = try session.account(account) else { return nil }
        let vault = try reader.vault(row)
        let parental = try session.parentalConsent(of: account)
            .map { try Self.parentalObject($0, vault) }
        return CollectedAccount(
            vault: vault, account: try accountObject(row, vault, in: session),
            methods: try ownMethods(row, vault)
                + session.identities(of: account).map { try Self.methodObject($0, vault) },
            consents: row.consents.all.map { Self.consentObject($0) }
                + [parental].compactMap(\.self))
    }

    /// The account with its profile. A value is read where it is named, so a new one has one line.
    private func accountObject(
        _ row: AccountRow, _ vault: AccountVault, in session: some SQLSession
    ) throws -> JSONObject {
        let account = try reader.message(row, lastSignInAt: row.lastSignInAt)
        return [
            "account_id": .string(account.accountId), "status": .string("\(row.status)"),
            "is_guest": .boolean(row.isGuest), "created_at": .string(row.createdAt.text),
            "last_sign_in_at": .text(row.lastSignInAt?.text),
            "profile_completed_at": .text(
                row.profileCompletedAt.flatMap { $0.milliseconds == 0 ? nil : $0.text }),
            "display_name": .string(account.displayName), "language": .string(row.language),
            "photo_url": .string(account.photoUrl), "email": .string(account.email),
            "email_verified_at": .text(row.address?.provedAt?.text),
            "verification_mail_sent_at": .text(row.verificationSentAt?.text),
            "phone_number": .string(account.phoneNumber),
            "sign_in_methods": .array(row.methods.map { .string($0.name) }),
            "second_factors": .array(try secondFactors(row.account, vault, in: session)),
            "passkeys": .array(try passkeys(row.account, vault, in: session)),
            "recovery_codes_left": .integer(
                Int64(clamping: try session.recoveryCodes(of: row.account))),
            "second_factor_reset_at": .text(
                try session.secondFactorReset(of: row.account)?.dueAt.text),
            "known_devices": .integer(try session.knownDevices(of: row.account)),
            "sign_in_places": .array(try signInPlaces(row.account, vault, in: session)),
            "suspended_since": .text(try session.suspension(row.account)?.since.text),
            "imported_as": .text(
                try session.sealedExternalID(of: row.account)
                    .map { try ImportedID(text: vault.open($0, .externalID)).id }),
            "roles": .array(account.roles.map { .string($0) }),
            "custom_claims": .text(try row.claims.map { try $0.opened(vault).json }),
            "is_age_verified": .boolean(row.isAgeVerified),
            "birth_date": .text(
                try session.sealedBirthDate(of: row.account)
                    .map { try vault.open($0, .birthDate) }),
        ]
    }

    /// The second factors, without their secrets.
    private func secondFactors(
        _ account: AccountID, _ vault: AccountVault, in session: some SQLSession
    ) throws -> [JSONValue] {
        try session.secondFactors(of: account).map { factor in
            .object([
                "kind": .string(factor.kind), "name": .text(try factor.app(vault)?.name),
                "added_at": .string(factor.addedAt.text),
                "last_used_at": .string(factor.lastUsedAt.text),
            ])
        }
    }

    /// The passkeys, without their keys.
    private func passkeys(
        _ account: AccountID, _ vault: AccountVault, in session: some SQLSession
    ) throws -> [JSONValue] {
        try session.passkeys(of: account).map { passkey in
            .object([
                "name": .text(try passkey.details(vault).name),
                "added_at": .string(passkey.addedAt.text),
                "last_used_at": .string(passkey.lastUsedAt.text),
                "backed_up": .boolean(passkey.isBackedUp),
            ])
        }
    }

    /// Where the account was signed in from. A network has a hash alone, which is not sent.
    private func signInPlaces(
        _ account: AccountID, _ vault: AccountVault, in session: some SQLSession
    ) throws -> [JSONValue] {
        guard let sealed = try session.sealedSignInMemory(of: account) else { return [] }
        let memory = try SignInMemory(vault.openBytes(sealed, .signInMemory))
        return memory.all.map { known in
            .object([
                "place": .text(known.place?.shown),
                "first_sign_in_at": .string(known.first.text),
                "last_sign_in_at": .string(known.last.text),
            ])
        }
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

    /// The methods that are no identity: a password, with the address to enter with it, and
    /// passkeys, which `account.json` lists. That there is a password is the person's data, its
    /// hash a secret.
    private func ownMethods(_ row: AccountRow, _ vault: AccountVault) throws -> [JSONObject] {
        var methods: [JSONObject] = []
        for method in row.methods {
            switch method {
            case .password:
                let email = try row.address.map { try vault.open($0.sealed, .address) } ?? ""
                methods.append(["method": .string(method.name), "email": .string(email)])
            case .passkey: methods.append(["method": .string(method.name)])
            case .phone, .provider: break
            }
        }
        return methods
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
    let vault: AccountVault
    let account: JSONObject
    let methods: [JSONObject]
    let consents: [JSONObject]
}

extension SQLSession {
    fileprivate func knownDevices(of account: AccountID) throws -> Int64 {
        try queryOne(
            "SELECT count(*) FROM known_devices WHERE account = ?", [.integer(account.key)]
        ) { try $0.integer(0) } ?? 0
    }

    fileprivate func sealedExternalID(of account: AccountID) throws -> [UInt8]? {
        try queryOne(
            "SELECT external_id FROM imported_accounts WHERE account = ?", [.integer(account.key)]
        ) { try $0.blob(0) }
    }
}
