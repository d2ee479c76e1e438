import Cryptography
package import Messages
package import ServiceRuntime

/// A passkey that another system holds, as validated for an import (F-01). It keeps its handle: the
/// authenticator returns it with each signature.
package struct ImportedPasskey: Sendable {
    private static let handleBytes = 1...64

    private let details: IdentityV1.StoredPasskey
    private let relyingParty: String
    private let signCount: UInt32
    private let backup: AuthenticatorData.Flags
    /// When it was added; nil if that is unknown.
    package let addedAt: Timestamp?

    /// Validates a record; nil for one that could not be used, or whose key no algorithm of ours
    /// has.
    /// - Parameters:
    ///   - settings: With the domain of records that name none.
    ///   - end: No passkey was added later.
    package init?(
        _ record: IdentityV1.PasskeyRecord, _ settings: PasskeySettings, until end: Timestamp
    ) {
        guard let id = Base64URL.decode(record.credentialId.utf8),
            PasskeyResponse.identifierBytes.contains(id.count),
            let key = Base64URL.decode(record.publicKey.utf8),
            // The reason does not matter: the passkey is left out.
            (try? COSEKey(key)) != nil,
            let handle = Base64URL.decode(record.userHandle.utf8),
            Self.handleBytes.contains(handle.count),
            let relyingParty = record.rpId.isEmpty ? settings.id : PasskeyRPID(record.rpId),
            record.backupEligible || !record.backedUp
        else { return nil }
        details = IdentityV1.StoredPasskey(
            credentialId: id, publicKey: key, userHandle: handle,
            transports: PasskeyTransports.kept(record.transports),
            name: PasskeyName.isValid(record.name) ? record.name : "")
        self.relyingParty = relyingParty.text
        signCount = record.signCount
        var backup: AuthenticatorData.Flags = []
        if record.backupEligible { backup.insert(.backupEligible) }
        if record.backedUp { backup.insert(.backedUp) }
        self.backup = backup
        let added = Timestamp(milliseconds: record.addedAtMs)
        addedAt = record.addedAtMs > 0 && added <= end ? added : nil
    }

    /// Seals it for an account.
    /// - Throws: when sealing fails.
    package func stored(
        as passkey: PasskeyID, in vault: AccountVault, _ keys: IdentityKeys
    ) throws -> NewStoredPasskey {
        try NewStoredPasskey(
            details, as: passkey, of: relyingParty, signCount: signCount, backup: backup, in: vault,
            keys)
    }
}

extension PasskeyRow {
    /// The passkey in an export.
    /// - Throws: if the details do not open.
    package func record(_ vault: AccountVault) throws -> IdentityV1.PasskeyRecord {
        let details = try details(vault)
        return IdentityV1.PasskeyRecord(
            credentialId: Base64URL.encode(details.credentialId),
            publicKey: Base64URL.encode(details.publicKey),
            userHandle: Base64URL.encode(details.userHandle), signCount: signCount,
            transports: details.transports, name: details.name, rpId: relyingParty,
            backupEligible: isBackupEligible, backedUp: isBackedUp,
            addedAtMs: addedAt.milliseconds)
    }
}
