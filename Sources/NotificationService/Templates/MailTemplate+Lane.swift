extension MailTemplate {
    /// The template's priority class (N-06). Strangers can cause any number of warnings to an
    /// address, by signing up with it or by changing to it (`emailChangeConfirm`). So no warning is
    /// in the lane of what the reader asked for.
    package var lane: Lane {
        switch self {
        case .verifyEmail, .verifyEmailCode, .signInCode, .resetPassword: .requested
        case .emailChangeConfirm, .emailChangeRequested, .emailChanged, .passwordChanged,
            .methodAdded, .methodRemoved, .addressClaimed, .newDevice, .sessionReplayed,
            .emailAlreadyRegistered, .deletionScheduled:
            .security
        case .signIn, .sessionDisplaced, .accountSuspended, .accountRestored, .exportReady,
            .deletionCancelled, .deletionDone:
            .notice
        case .welcome: .bulk
        }
    }
}
