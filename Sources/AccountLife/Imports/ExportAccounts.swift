import Contracts
import Cryptography
import IdentityService
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension ImportsHandler {
    /// Accounts in one item. An account with sixteen identities of the longest names has 25 KB, and
    /// a frame may have 1 MiB.
    private static let pageSize: Int64 = 32

    /// Exports all accounts in the order of their ids, in the format of an import (I-03).
    ///
    /// Accounts in deletion are left out, and guests too: they have no identity that another system
    /// could use.
    package func exportAccounts(
        _ request: IdentityV1.ExportAccountsRequest,
        _ items: OutgoingItems<IdentityV1.ExportAccountsItem>, _ context: CallContext
    ) async throws {
        try context.requireOperator()
        var position = try Self.position(request.after)
        try await recordExport(request, by: context.application)
        if request.withPasswordHashes, position == 0 {
            try await items.write(
                IdentityV1.ExportAccountsItem(hashParameters: try await hashParameters()))
        }
        while true {
            try Task.checkCancellation()
            let (after, withHashes) = (position, request.withPasswordHashes)
            let page = try await store.read { session in
                try session.accountIDs(after: after, limit: Self.pageSize)
                    .map { try session.exported($0, withHash: withHashes, answers) }
            }
            guard let last = page.last else { return }
            position = last.account.key
            try await items.write(
                IdentityV1.ExportAccountsItem(
                    accounts: page.compactMap(\.row).compactMap { exported in
                        reader.readable(exported.row.account, logger) {
                            try record(exported, reader)
                        }
                    },
                    position: last.account.text))
        }
    }

    private static func position(_ text: String) throws(ServiceError) -> Int64 {
        guard !text.isEmpty else { return 0 }
        guard let account = AccountID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["after"])
        }
        return account.key
    }

    /// Records the export in the audit trail before any data is sent.
    private func recordExport(
        _ request: IdentityV1.ExportAccountsRequest, by actor: String
    ) async throws {
        try await store.write(about: []) { transaction in
            try transaction.audit(
                AuditEvent(
                    request.withPasswordHashes ? .accountsExportedWithHashes : .accountsExported
                ).by(actor))
        }
    }

    private func hashParameters() async throws -> [IdentityV1.HashParameters] {
        try await projects.all().sorted { $0.key < $1.key }.map {
            id, project in
            IdentityV1.HashParameters(
                parametersId: id, signerKey: project.signerKey.withBytes { Array($0) },
                saltSeparator: project.saltSeparator)
        }
    }

    private func record(
        _ exported: ExportedRow, _ reader: AccountReader
    ) throws -> IdentityV1.AccountRecord {
        let vault = try reader.vault(exported.row)
        let account = exported.row.account.text
        let imported = try exported.sealedExternalID
            .map { try ImportedID(text: vault.open($0, .externalID)) }
        let claims = try exported.row.claims?.opened(vault)
        var record = IdentityV1.AccountRecord(
            externalId: imported?.id ?? account,
            email: try exported.row.address.map { try vault.open($0.sealed, .address) } ?? "",
            emailVerified: exported.row.address?.provedAt != nil,
            passwordHash: try exported.sealedHash.map { try vault.open($0, .passwordHash) } ?? "",
            displayName: try vault.open(exported.row.sealedDisplayName, .displayName),
            photoUrl: try exported.row.sealedPhotoURL.map { try vault.open($0, .photoURL) } ?? "",
            disabled: exported.row.status == .suspended,
            createdAtMs: exported.row.createdAt.milliseconds,
            lastSignInAtMs: exported.row.lastSignInAt?.milliseconds ?? 0,
            language: exported.row.language,
            customClaims: claims?.json ?? "",
            source: imported?.source ?? "postern", accountId: account,
            onboardingComplete: exported.isOnboarded,
            termsVersion: exported.row.consents.versions.terms,
            privacyVersion: exported.row.consents.versions.privacy,
            marketing: exported.row.consents.privacy.marketing,
            analytics: exported.row.consents.privacy.analytics, roles: claims?.roles ?? [])
        record.passkeys = try exported.passkeys.map { try $0.record(vault) }
        record.secondFactors = try exported.factors.compactMap { try $0.record(vault) }
        for row in exported.identities {
            let details = try IdentityDetails(
                text: vault.open(row.sealedDetails, .identityDetails(row.identity)))
            if row.method == .phone {
                record.phoneNumber = details.subject
            } else {
                record.identities.append(
                    IdentityV1.ProviderIdentity(
                        method: row.method.name, issuer: details.issuer,
                        subject: details.subject, email: details.email,
                        displayName: details.displayName))
            }
        }
        return record
    }
}

extension SecondFactorRow {
    /// The factor in an export; nil for one of another kind than authenticator apps.
    fileprivate func record(_ vault: AccountVault) throws -> IdentityV1.SecondFactorRecord? {
        try app(vault).map { app in
            IdentityV1.SecondFactorRecord(
                totpSecret: app.secret.withBytes { Base32.encode($0) }, name: app.name)
        }
    }
}
