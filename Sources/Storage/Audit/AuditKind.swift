/// Everything the audit trail can tell of: a closed list, so that it can be reviewed whole.
/// Raw values are stored and never renamed. To add one: a case here, and the flow that writes it.
///
/// Of refused sign-ins, refused codes and requests for a reset that name no account there is one
/// record for each network of callers and minute; `attempt` counts them (`AuditCounts`).
package enum AuditKind: String, CaseIterable, Sendable {
    /// An account was made.
    case accountRegistered = "account.registered"
    /// An account was made that has nothing to sign in by.
    case guestRegistered = "account.guest-registered"
    /// A guest became a full account.
    case guestUpgraded = "account.guest-upgraded"
    /// The owner of an account's unproved address arrived: all that could open it was removed.
    case accountTakenOver = "account.taken-over"
    /// An account has another way of signing in.
    case identityLinked = "identity.linked"
    /// A way of signing in was taken away from an account.
    case identityUnlinked = "identity.unlinked"
    /// A link or its end was refused; `outcome` says why.
    case linkingRefused = "identity.linking-refused"
    /// The operator had accounts of another system taken in; `attempt` counts them.
    case accountsImported = "account.imported"
    /// The operator had all accounts given out.
    case accountsExported = "account.exported"
    /// The operator had all accounts given out with their passwords' hashes.
    case accountsExportedWithHashes = "account.exported-with-hashes"
    /// A sign-up was refused; `outcome` says why.
    case signUpRefused = "account.sign-up-refused"
    /// An account's email was proved.
    case emailVerified = "account.email-verified"
    /// An account's password was set or changed.
    case passwordReplaced = "account.password-replaced"
    /// A link to set a new password was asked for.
    case passwordResetRequested = "account.password-reset-requested"
    /// A link to set a new password was mailed.
    case passwordResetMailed = "account.password-reset-mailed"
    /// A change of the password was refused; `outcome` says why.
    case passwordChangeRefused = "account.password-change-refused"
    /// A change of an account's email was asked for, and waits.
    case emailChangeRequested = "account.email-change-requested"
    /// An account has another email.
    case emailChanged = "account.email-changed"
    /// A change of an email was refused; `outcome` says why.
    case emailChangeRefused = "account.email-change-refused"
    /// A change of an email that waited was dropped by its account's owner.
    case emailChangeCancelled = "account.email-change-cancelled"
    /// A link to prove an address was opened elsewhere with a wrong password.
    case emailProofRefused = "account.email-proof-refused"
    /// A sign-up under strict enumeration wants an address, which waits for its proof.
    case addressClaimed = "account.address-claimed"
    /// Another verification link was mailed.
    case verificationResent = "account.verification-resent"
    /// A provider's grant was kept, so that the account's deletion can revoke it.
    case grantKept = "grant.kept"
    /// A provider gave no grant for a code; `outcome` says why.
    case grantRefused = "grant.refused"
    /// A grant was revoked at its provider.
    case grantRevoked = "grant.revoked"
    /// A grant was not revoked: the provider has none, or the identity is linked again.
    case grantRevocationGivenUp = "grant.revocation-given-up"
    /// A provider says that consent was revoked there.
    case consentRevoked = "identity.consent-revoked"
    /// A provider says that somebody's account there is gone.
    case providerAccountDeleted = "identity.provider-account-deleted"
    /// A provider says that its relay passes no mail on.
    case relayTurnedOff = "identity.relay-turned-off"
    /// A provider says that its relay passes mail on again.
    case relayTurnedOn = "identity.relay-turned-on"
    /// The operator, or an app's support desk, stopped an account; `actor` says who.
    case accountSuspended = "account.suspended"
    /// They took that back.
    case accountRestored = "account.restored"
    /// They ended all of an account's sessions.
    case accountSignedOut = "account.signed-out-by-operator"
    /// They had an account's email, number and name shown.
    case accountShown = "account.shown"
    /// They had those of a page of accounts shown; `attempt` is how many.
    case accountsShown = "account.list-shown"
    /// An account was signed in to from a device that it had not been signed in to from before.
    case newDevice = "sign-in.new-device"
    /// Somebody proved to be an account's owner.
    case signInSucceeded = "sign-in.succeeded"
    /// A sign-in was refused; `outcome` says why.
    case signInFailed = "sign-in.failed"
    /// A code to a phone was asked for; `subject` is the number's keyed hash.
    case phoneCodeRequested = "phone-code.requested"
    /// A guess at a code was refused; `outcome` says why, `attempt` counts those of one code.
    case phoneCodeRefused = "phone-code.refused"
    /// An account's owner proved to be it once more by a code.
    case phoneCodeProved = "phone-code.proved"
    /// A provider has told identity that a number has changed hands or SIM lately.
    case phoneNumberChanged = "phone.number-changed"
    /// The owner of a changed number has shown by another proof that it is still theirs.
    case phoneNumberConfirmed = "phone.number-confirmed"
    /// A session was opened.
    case sessionStarted = "session.started"
    /// A session's refresh token was rotated.
    case sessionRefreshed = "session.refreshed"
    /// A session was ended by its owner.
    case sessionEnded = "session.ended"
    /// A refresh token's answer was given again: to a retry within the grace, or by device's key.
    case refreshRepeated = "session.refresh-repeated"
    /// A refresh token's use was refused, its session lives on; `outcome` says why.
    case refreshRefused = "session.refresh-refused"
    /// A session was refreshed from another device than it was opened on.
    case refreshElsewhere = "session.refresh-elsewhere"
    /// A refresh token was used a second time, which ended its family.
    case refreshTokenReplayed = "session.refresh-token-replayed"
    /// A device's proof that its owner is there was refused; `outcome` says why. Of this and the
    /// refused uses of refresh tokens there is one record for the first of ten minutes, and one for
    /// all of them, with their count in `attempt`.
    case reauthenticationRefused = "session.reauthentication-refused"
    /// A session's owner proved to be it once more.
    case sessionReauthenticated = "session.reauthenticated"
    /// All sessions of an account were ended.
    case accountSessionsEnded = "session.account-ended"
    /// A backup was restored; `attempt` counts the sessions that ended with it.
    case backupRestored = "store.backup-restored"
    /// The operator took a clock for right that was far ahead.
    case clockAccepted = "clock.accepted"
    /// A signing key was made.
    case signingKeyMade = "key.signing-key-made"
    /// A key of refresh tokens was made.
    case refreshKeyMade = "key.refresh-key-made"
    /// An announced signing key signs from now on; `attempt` is its row.
    case signingKeyActivated = "key.signing-key-activated"
    /// A signing key's last token has expired; nothing of it verifies. `attempt` is its row.
    case signingKeyRetired = "key.signing-key-retired"
    /// An operator revoked a signing key; `attempt` is its row.
    case signingKeyRevoked = "key.signing-key-revoked"
    /// A limit was reached (D0: `rate_limit_triggered`). Of this and the next four there is one
    /// record for each limit, subject and wait, when the wait is over; `attempt` counts those that
    /// were refused in it.
    case limitReached = "limit.reached"
    /// A limit was reached again and again (`repeated_rate_limit`).
    case limitRepeated = "limit.repeated"
    /// A limit was reached by somebody who does not stop (`severe_rate_limit`).
    case limitSevere = "limit.severe"
    /// Codes or passwords are being guessed (`otp_brute_force_detected`).
    case bruteForce = "limit.brute-force"
    /// Messages are asked for by somebody who earns from them.
    case pumping = "limit.pumping"
    /// Too many sign-ins fail in all: leaked passwords are tried out.
    case stuffingAlarm = "limit.stuffing-alarm"
    /// An operator had a subject forgotten.
    case limitReset = "limit.reset"
    /// Subjects of limits are hashed under another secret from now on; `attempt` is its number.
    case subjectSecretMade = "key.subject-secret-made"
    /// Nothing is kept under a former secret of subjects any more; `attempt` is its number.
    case subjectSecretForgotten = "key.subject-secret-forgotten"
    /// A message was taken on for delivery.
    case messageAccepted = "message.accepted"
    /// A provider took a message.
    case messageSent = "message.sent"
    /// A message was given up; `outcome` says why.
    case messageDead = "message.dead"
    /// An operator added a webhook.
    case webhookAdded = "webhook.added"
    /// An operator took a webhook away.
    case webhookRemoved = "webhook.removed"
    /// A webhook has a new secret.
    case webhookSecretRotated = "webhook.secret-rotated"
    /// A webhook was held back, by the operator or because its receiver wants no more.
    case webhookHeldBack = "webhook.held-back"
    /// An event was given up: a webhook's receiver was away for days.
    case webhookGivenUp = "webhook.given-up"
    /// A provider says that a number has changed hands or SIM lately.
    case numberChanged = "message.number-changed"
    /// A device was registered for push messages.
    case pushDeviceAdded = "push-device.added"
    /// A device was taken over from another account.
    case pushDeviceMoved = "push-device.moved"
    /// A device was dropped since its provider calls it dead.
    case pushDeviceDead = "push-device.dead"
    /// The devices of a session were dropped since it has ended.
    case pushDeviceSignedOut = "push-device.signed-out"
    /// All devices of an account were dropped.
    case pushDevicesRevoked = "push-device.all-revoked"
    /// A mail server has said that nobody lives at an address; it is sent nothing more.
    case addressStopped = "address.stopped"
    /// An operator had a stopped address sent to again.
    case addressReleased = "address.released"
    /// An operator had a dead message sent after all.
    case messageRetried = "message.retried"
    /// An operator gave a message up.
    case messageDiscarded = "message.discarded"
    /// An account's messages and devices were removed.
    case messagesForgotten = "message.forgotten"
}
