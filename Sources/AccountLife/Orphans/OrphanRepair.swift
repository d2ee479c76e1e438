import Contracts
import IdentityService
import Messages
import PersonalData
import RPC
import ServiceRuntime
import Storage

/// Repairs one orphan, after it was checked again (I-04, I-09). Each repair can be repeated, and is
/// in the audit trail.
struct OrphanRepair: AccountWriting, Sendable {
    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    let sessionData: any AccountDataAPI
    let notificationData: any AccountDataAPI
    let blobs: any BlobStore
    let findings: OrphanFindings

    /// Gives an account without a profile an empty one, in the default language.
    /// - Parameter caller: Who asked; nil for the check.
    /// - Returns: false if it has one, or has no key, or does not exist.
    /// - Throws: errors of the store; `CryptographyError` for a key that does not decrypt.
    func giveProfile(to account: AccountID, by caller: AdminCaller?) async throws -> Bool {
        guard let sealedKey = try await store.read({ try $0.keyWithoutProfile(of: account) })
        else { return false }
        let vault = try reader.vault(of: account, sealedKey: sealedKey)
        let sealedDisplayName = try vault.seal("", .displayName)
        let language = settings.defaultLanguage
        let isGiven = try await store.write(about: [.account(account)]) { transaction in
            guard try transaction.keyWithoutProfile(of: account) != nil else { return false }
            try transaction.insertProfile(
                of: account, sealedDisplayName: sealedDisplayName, language: language,
                sealedPhotoURL: nil, isNameEdited: false, isComplete: true)
            try transaction.audit(orphan: account, by: caller)
            return true
        }
        if isGiven {
            findings.repaired(account, .accountWithoutProfile, ending: [.accountWithoutProfile])
        }
        return isGiven
    }

    /// Deletes the data that a service has of an account that does not exist.
    /// - Returns: false if the account exists, or there is no data.
    /// - Throws: errors of the store and of the service.
    func forgetData(
        _ kind: OrphanKind, of account: AccountID, by caller: AdminCaller, _ context: CallContext
    ) async throws -> Bool {
        guard try await store.read({ try !$0.hasAccount(account) }) else { return false }
        let isForgotten =
            switch kind.service {
            case .identity: try await forgetHere(account, by: caller)
            case .session: try await forget(account, at: sessionData, by: caller, context)
            case .notification: try await forget(account, at: notificationData, by: caller, context)
            }
        if isForgotten {
            // All that this service had.
            let ended = kind.service.kinds.filter { $0.repair == kind.repair }
            findings.repaired(account, kind, ending: ended)
        }
        return isForgotten
    }

    /// Deletes the row of an account's photo or export whose file is missing.
    /// - Returns: false if there is no such row, or its file is there.
    /// - Throws: errors of the store; `rpc/unavailable` when the disk fails.
    func removeRow(
        _ kind: OrphanKind, of account: AccountID, by caller: AdminCaller
    ) async throws -> Bool {
        guard let blob = try await store.read({ try $0.blob(kind, of: account) }),
            try await blobs.isMissing(blob)
        else { return false }
        let isRemoved = try await store.write(about: [.account(account)]) { transaction in
            // A new file has another name.
            guard try transaction.blob(kind, of: account) == blob else { return false }
            if kind == .photoWithoutFile {
                try transaction.put(
                    "DELETE FROM photos WHERE account = ?", [.integer(account.key)])
            } else {
                try transaction.deleteExport(of: account)
            }
            try transaction.audit(orphan: account, by: caller)
            return true
        }
        if isRemoved { findings.repaired(account, kind, ending: [kind]) }
        return isRemoved
    }

    private func forgetHere(_ account: AccountID, by caller: AdminCaller) async throws -> Bool {
        try await store.write(about: [.account(account)]) { transaction in
            guard try !transaction.hasAccount(account) else { return false }
            let deletions = try transaction.deleteDeletion(withoutAccount: account)
            guard try transaction.deleteAccount(account) + deletions > 0 else { return false }
            try transaction.audit(orphan: account, by: caller)
            return true
        }
    }

    private func forget(
        _ account: AccountID, at service: any AccountDataAPI, by caller: AdminCaller,
        _ context: CallContext
    ) async throws -> Bool {
        let answer = try await service.forgetAccountData(
            AccountDataV1.ForgetAccountDataRequest(
                subject: AccountDataV1.DataSubject(accountId: account.text)),
            .byIdentity(deadline: context.deadline))
        guard answer.rows > 0 else { return false }
        try await store.write(about: [], evenIfCancelled: true) {
            try $0.audit(orphan: account, by: caller)
        }
        return true
    }
}

extension SQLSession {
    /// Whether there is such an account.
    func hasAccount(_ account: AccountID) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM accounts WHERE account = ?", [.integer(account.key)]
        ) { _ in true } ?? false
    }

    /// The blob that a photo's or an export's row of an account names; nil without one.
    fileprivate func blob(_ kind: OrphanKind, of account: AccountID) throws -> BlobName? {
        switch kind {
        case .photoWithoutFile: try photo(of: account)?.blob
        case .exportWithoutFile: try exportFile(of: account)
        default: nil
        }
    }

    /// The sealed key of an account without a profile; nil if it has one, or no key.
    fileprivate func keyWithoutProfile(of account: AccountID) throws -> [UInt8]? {
        try queryOne(
            """
            SELECT sealed_key FROM accounts
            JOIN account_keys ON account_keys.account = accounts.account
            WHERE accounts.account = ? AND NOT EXISTS (
                SELECT 1 FROM profiles WHERE profiles.account = accounts.account)
            """, [.integer(account.key)]
        ) { try $0.blob(0) }
    }
}

extension Transaction {
    /// Deletes the deletion of an account that does not exist, unless it goes on: after its step
    /// `rows` it needs no account.
    /// - Returns: how many rows were deleted.
    fileprivate func deleteDeletion(withoutAccount account: AccountID) throws -> Int {
        try execute(
            "DELETE FROM deletions WHERE account = ? AND step <= ?",
            [.integer(account.key), .integer(DeletionStep.rows.rawValue)])
    }

    fileprivate func audit(orphan account: AccountID, by caller: AdminCaller?) throws {
        let event = AuditEvent(.orphanRepaired, account: account.key)
        try audit(caller.map { event.by($0) } ?? event)
    }
}
