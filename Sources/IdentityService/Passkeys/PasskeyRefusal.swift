/// Why a passkey's response is refused. Only for log and metric, which have the raw values: callers
/// get one answer, `auth/invalid-passkey`. Raw values never change.
enum PasskeyRefusal: String, Error, Hashable, CaseIterable, Sendable {
    /// `id`, `rawId` and, in a registration, the credential data's id are not one text of
    /// Base64url.
    case identifier
    /// The credential's `type` is not `public-key`.
    case credentialType = "credential-type"
    /// `clientDataJSON` is not JSON that is accepted, or lacks a member.
    case clientData = "client-data"
    /// `type` in the client data is another ceremony's.
    case ceremony
    /// The challenge was not issued here, or for another purpose, holder or id of the relying
    /// party.
    case challengeUnknown = "challenge-unknown"
    /// The challenge has expired.
    case challengeExpired = "challenge-expired"
    /// The challenge was used before.
    case challengeUsed = "challenge-used"
    /// The origin is not in the list.
    case origin
    /// The page was in a frame of another origin.
    case crossOrigin = "cross-origin"
    /// The page was in a frame of the origin that is named.
    case topOrigin = "top-origin"
    /// The attestation object is not CBOR that is accepted, or lacks a member.
    case attestationObject = "attestation-object"
    /// The authenticator data is malformed.
    case authenticatorData = "authenticator-data"
    /// The passkey, or the response, belongs to another id of the relying party.
    case relyingParty = "relying-party"
    /// No person was at the device.
    case userPresence = "user-presence"
    /// The device has not verified the person.
    case userVerification = "user-verification"
    /// A passkey that cannot be backed up is backed up.
    case backupState = "backup-state"
    /// A registration without a credential.
    case credentialData = "credential-data"
    /// The credential's id is too short or too long.
    case identifierLength = "identifier-length"
    /// The credential's key is of an algorithm that was not offered.
    case algorithm
    /// The credential's key is malformed, weak or not on its curve.
    case publicKey = "public-key"
    /// The credential is not one of those that were asked for.
    case notAllowed = "not-allowed"
    /// The user handle is another one's.
    case userHandle = "user-handle"
    /// The signature is not by the passkey's key, or of other data.
    case signature
}
