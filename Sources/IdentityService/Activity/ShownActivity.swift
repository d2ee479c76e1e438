import Storage

/// What an account's owner is shown of its activity (A-01, G-22): a closed list. Each kind has a
/// sentence in `Sources/Texts/activity`; what is not in the list is not shown.
package struct ShownActivity: Sendable {
    /// Of identity's trail.
    let ofIdentity: AuditKinds
    /// Of session's trail, as patterns of a request.
    let ofSession: [String]

    /// All kinds, for a support desk.
    package static let all = ShownActivity(ofIdentity: .all, ofSession: [])

    /// The kinds of the list, for the account's owner.
    static let toOwner = ShownActivity(
        ofIdentity: AuditKinds(identityKinds), ofSession: sessionKinds.map(\.rawValue))

    /// All that the owner is shown.
    static let kinds = identityKinds.union(sessionKinds)

    private static let identityKinds: Set<AuditKind> = [
        .accountRegistered, .guestRegistered, .guestUpgraded, .accountTakenOver,
        .profileCompleted,
        .signInSucceeded, .signInFailed, .signInChallenged, .newDevice, .signInDisowned,
        .accountLocked,
        .secondFactorAdded, .secondFactorRemoved, .secondFactorRefused,
        .secondFactorResetRequested, .secondFactorResetCancelled, .secondFactorReset,
        .recoveryCodesMade, .recoveryCodeUsed,
        .passkeyAdded, .passkeyRemoved, .passkeyRenamed, .passkeyRefused, .passkeyCounterBehind,
        .passkeyBackupChanged,
        .phoneCodeRefused, .phoneCodeProved, .phoneNumberChanged, .phoneNumberConfirmed,
        .identityLinked, .identityUnlinked, .linkingRefused, .consentRevoked,
        .providerAccountDeleted, .providerSessionsRevoked, .providerAccountDisabled,
        .passwordReplaced, .passwordResetMailed, .passwordChangeRefused,
        .emailVerified, .emailChangeRequested, .emailChanged, .emailChangeRefused,
        .emailChangeCancelled, .emailProofRefused,
        .exportRequested, .exportReady, .exportFetched, .exportCancelled,
        .deletionLinkMailed, .deletionRequested, .deletionCancelled, .deletionBegun,
        .consentGiven, .consentWithdrawn, .privacyChanged, .parentAsked, .parentConsented,
        .parentRefused,
        .accountCreatedByBackend, .accountChangedByBackend, .claimsSetByBackend, .linkIssued,
        .linkCreated,
        .accountShown, .activityShown, .accountSuspended, .accountRestored, .accountSignedOut,
    ]

    /// At most `AuditKinds.patternsMax`.
    private static let sessionKinds: Set<AuditKind> = [
        .sessionStarted, .sessionEnded, .accountSessionsEnded, .refreshTokenReplayed,
        .refreshElsewhere, .sessionReauthenticated, .reauthenticationRefused,
    ]
}
