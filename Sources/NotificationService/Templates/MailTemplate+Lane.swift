extension MailTemplate {
    /// How urgent it is (N-06).
    package var lane: Lane {
        switch self {
        case .verifyEmail, .verifyEmailCode, .signInCode, .resetPassword, .emailChangeConfirm,
            .emailChangeRequested, .emailChanged, .passwordChanged, .methodAdded, .methodRemoved,
            .addressClaimed, .newDevice, .sessionReplayed, .emailAlreadyRegistered,
            .deletionScheduled:
            .security
        case .signIn, .sessionDisplaced, .accountSuspended, .accountRestored, .exportReady,
            .deletionCancelled, .deletionDone:
            .notice
        case .welcome: .bulk
        }
    }
}
