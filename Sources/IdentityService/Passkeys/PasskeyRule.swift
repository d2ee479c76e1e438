import Cryptography

/// A passkey that a registration makes.
struct NewPasskey: Hashable, Sendable {
    /// The credential's id.
    let id: [UInt8]
    /// Its public key (`COSEKey`).
    let key: [UInt8]
    /// Identifies the model of the authenticator, 16 bytes; zeros for none.
    let aaguid: [UInt8]
    /// The authenticator's count of signatures.
    let signCount: UInt32
    /// BE and BS.
    let backup: AuthenticatorData.Flags
}

/// A passkey as it is stored, without what no rule needs.
struct KnownPasskey: Hashable, Sendable {
    /// The credential's id.
    let id: [UInt8]
    /// Its public key (`COSEKey`).
    let key: [UInt8]
    /// The handle under which it was made.
    let userHandle: [UInt8]
    /// The id of the relying party under which it was made.
    let relyingParty: String
    /// The count of the latest signature.
    let signCount: UInt32
    /// BE and BS of the latest signature.
    let backup: AuthenticatorData.Flags
}

/// What an accepted signature says of its passkey, to be recorded.
struct PasskeyUse: Hashable, Sendable {
    /// The count of this signature.
    let signCount: UInt32
    /// BE and BS of this signature.
    let backup: AuthenticatorData.Flags
    /// Whether the count did not rise: the passkey may have been copied.
    let isCounterBehind: Bool
    /// Whether BE changed, which the standard rules out.
    let hasBackupChanged: Bool
}

extension PasskeyUse {
    /// A use after another one, whose count and flags are given.
    init(
        signCount: UInt32, backup: AuthenticatorData.Flags, after before: UInt32,
        _ backupBefore: AuthenticatorData.Flags
    ) {
        let counts = signCount != 0 || before != 0
        self.init(
            signCount: signCount, backup: backup, isCounterBehind: counts && signCount <= before,
            hasBackupChanged: backup.contains(.backupEligible)
                != backupBefore.contains(.backupEligible))
    }
}

/// Decides whether the response of a passkey is accepted (F-01; Web Authentication Level 3,
/// sections 7.1 and 7.2). Pure. The first row that is not met refuses:
///
///     both ceremonies                                                             refusal
///     type of the credential is public-key                                        credential-type
///     id and rawId are one text of Base64url                                      identifier
///     … of 16 to 1,023 bytes                                                      identifier-length
///     clientDataJSON is JSON with type, challenge and origin (`ClientData`)       client-data
///     what the authenticator sends is well-formed             attestation-object, authenticator-data,
///                                                             signature, user-handle
///     type in the client data is this ceremony's                                  ceremony
///     the challenge is of this ceremony and the one that was read                 challenge-unknown
///     the origin is one of the listed texts, byte for byte                        origin
///     crossOrigin is false or absent                                              cross-origin
///     topOrigin is absent                                                         top-origin
///     the authenticator signs for our id of the relying party                     relying-party
///     UP is set, unless a browser adds the passkey without a prompt               user-presence
///     UV is set, with the same exception                                          user-verification
///     BS is unset where BE is                                                     backup-state
///     extensions are parsed and not used
///
///     registration                                                                refusal
///     there is a credential                                                       credential-data
///     its id is id                                                                identifier
///     its algorithm was offered (`COSEAlgorithm`)                                 algorithm
///     its key is whole and on its curve (`COSEKey`)                               public-key
///     the attestation is not read: `none` is asked for
///
///     assertion                                                                   refusal
///     the passkey is one of those that were asked for, if some were               not-allowed
///     it was made for our id of the relying party                                 relying-party
///     userHandle, if there is one, is the passkey's                               user-handle
///     the signature is by the passkey's key, over both parts as received          signature
///
///     assertion: recorded, never refused
///     the count did not rise, unless it is 0 as before    copies, parallel prompts; synced passkeys
///                                                         send 0
///     BE changed                                          iCloud before its first synchronisation,
///                                                         KeePassXC (keepassxc #13239; supabase/auth
///                                                         #2732 locked people out)
///
/// The attacks:
/// - *A registration that is checked less than a sign-in* (Keycloak CVE-2026-8830): what both share
///   is one function.
/// - *A passkey without UV as two factors* (VoidAuth #361): a found device would be enough.
/// - *A page of a stranger shows ours in a frame*, so that a tap means something else to the
///   person.
/// - *A stranger registers the victim's credential*: an id is unique in the store, which decides.
enum PasskeyRule {
    /// The passkey that a registration makes.
    /// - Parameter challenge: As `PasskeyChallenges` has read it from `response`.
    static func registered(
        by response: RegistrationResponse, answering challenge: PasskeyChallenge,
        at relyingParty: PasskeyRelyingParty
    ) throws(PasskeyRefusal) -> NewPasskey {
        let data = response.authenticatorData
        try check(
            response.clientData, data, of: .registration, answering: challenge,
            requiring: challenge.purpose.required, at: relyingParty)
        guard let credential = data.credential else { throw .credentialData }
        guard credential.id == response.id else { throw .identifier }
        return NewPasskey(
            id: credential.id, key: try key(credential.key).bytes, aaguid: credential.aaguid,
            signCount: data.signCount, backup: data.flags.intersection(backupFlags))
    }

    /// What a signature by a passkey says.
    /// - Parameters:
    ///   - challenge: As `PasskeyChallenges` has read it from `response`.
    ///   - allowed: The ids of the credentials that were asked for; nil if none were named.
    static func use(
        of passkey: KnownPasskey, by response: AssertionResponse,
        answering challenge: PasskeyChallenge, allowed: [[UInt8]]?,
        at relyingParty: PasskeyRelyingParty
    ) throws(PasskeyRefusal) -> PasskeyUse {
        try use(
            of: passkey, by: response, answering: challenge, allowed: allowed,
            requiring: challenge.purpose.required, at: relyingParty)
    }

    /// The same with other flags required, as the standard's own vectors need it.
    static func use(
        of passkey: KnownPasskey, by response: AssertionResponse,
        answering challenge: PasskeyChallenge, allowed: [[UInt8]]?,
        requiring required: AuthenticatorData.Flags, at relyingParty: PasskeyRelyingParty
    ) throws(PasskeyRefusal) -> PasskeyUse {
        guard passkey.id == response.id else { throw .identifier }
        let data = response.authenticatorData
        try check(
            response.clientData, data, of: .assertion, answering: challenge, requiring: required,
            at: relyingParty)
        guard allowed?.contains(passkey.id) != false else { throw .notAllowed }
        guard passkey.relyingParty == relyingParty.id.text else { throw .relyingParty }
        guard response.userHandle ?? passkey.userHandle == passkey.userHandle else {
            throw .userHandle
        }
        guard try key(passkey.key).verifies(response.signature, of: response.signed) else {
            throw .signature
        }
        return PasskeyUse(
            signCount: data.signCount, backup: data.flags.intersection(backupFlags),
            after: passkey.signCount, passkey.backup)
    }

    private static let backupFlags: AuthenticatorData.Flags = [.backupEligible, .backedUp]

    /// What both ceremonies share.
    private static func check(
        _ clientData: ClientData, _ data: AuthenticatorData, of ceremony: PasskeyChallenge.Ceremony,
        answering challenge: PasskeyChallenge, requiring required: AuthenticatorData.Flags,
        at relyingParty: PasskeyRelyingParty
    ) throws(PasskeyRefusal) {
        guard clientData.type == ceremony.type else { throw .ceremony }
        guard challenge.purpose.ceremony == ceremony,
            clientData.challenge.utf8.elementsEqual(challenge.text.utf8)
        else { throw .challengeUnknown }
        guard relyingParty.accepts(clientData.origin) else { throw .origin }
        guard !clientData.isCrossOrigin else { throw .crossOrigin }
        guard !clientData.hasTopOrigin else { throw .topOrigin }
        guard data.relyingPartyHash == relyingParty.id.hash else { throw .relyingParty }
        let missing = required.subtracting(data.flags)
        guard !missing.contains(.userPresent) else { throw .userPresence }
        guard !missing.contains(.userVerified) else { throw .userVerification }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
            throw .backupState
        }
    }

    private static func key(_ bytes: [UInt8]) throws(PasskeyRefusal) -> COSEKey {
        do {
            return try COSEKey(bytes)
        } catch {
            throw error == .algorithm ? .algorithm : .publicKey
        }
    }
}
