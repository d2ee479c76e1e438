/// Every kind of audit event. The list is closed so that it can be reviewed as a whole. Raw
/// values are stored and never renamed. To add one, add a case here and write it in its
/// transaction.
///
/// Refused sign-ins, refused codes and reset requests that name no account are aggregated: one
/// record for each network of callers and minute, with the number of refusals in `attempt`
/// (`AuditCounts`). `AuditDetail` says what `detail` is, by kind.
package enum AuditKind: String, CaseIterable, Sendable {
    /// An account was created.
    case accountRegistered = "account.registered"
    /// A guest account, without any way to sign in, was created.
    case guestRegistered = "account.guest-registered"
    /// A guest had no live session for `guest-kept`; its deletion began.
    case guestExpired = "guest.expired"
    /// An orphan was repaired; `actor` says who asked, and is absent if the check did.
    case orphanRepaired = "orphan.repaired"
    /// A guest became a full account.
    case guestUpgraded = "account.guest-upgraded"
    /// The owner of an account's unverified address proved it: all previous credentials were
    /// removed.
    case accountTakenOver = "account.taken-over"
    /// A sign-in method was linked to an account.
    case identityLinked = "identity.linked"
    /// A sign-in method was unlinked from an account.
    case identityUnlinked = "identity.unlinked"
    /// Linking or unlinking was refused; `outcome` says why.
    case linkingRefused = "identity.linking-refused"
    /// An account's profile and onboarding were complete for the first time; `attempt` is the
    /// seconds since it was created. Only where the app asks for one of them.
    case profileCompleted = "profile.completed"
    /// An account's owner changed the display name.
    case profileUpdated = "profile.updated"
    /// An account's owner uploaded a photo.
    case photoUploaded = "profile.photo-uploaded"
    /// An account's owner removed the photo.
    case photoRemoved = "profile.photo-removed"
    /// The operator imported accounts from another system; `attempt` is their number.
    case accountsImported = "account.imported"
    /// The operator exported all accounts.
    case accountsExported = "account.exported"
    /// The operator exported all accounts with their password hashes.
    case accountsExportedWithHashes = "account.exported-with-hashes"
    /// A sign-up was refused; `outcome` says why.
    case signUpRefused = "account.sign-up-refused"
    /// An account's email was verified.
    case emailVerified = "account.email-verified"
    /// An account's password was set or changed.
    case passwordReplaced = "account.password-replaced"
    /// A password reset link was requested.
    case passwordResetRequested = "account.password-reset-requested"
    /// A password reset link was mailed.
    case passwordResetMailed = "account.password-reset-mailed"
    /// A password change was refused; `outcome` says why.
    case passwordChangeRefused = "account.password-change-refused"
    /// An email change was requested and is pending.
    case emailChangeRequested = "account.email-change-requested"
    /// An account's email was changed.
    case emailChanged = "account.email-changed"
    /// An email change was refused; `outcome` says why.
    case emailChangeRefused = "account.email-change-refused"
    /// A pending email change was cancelled by the account's owner.
    case emailChangeCancelled = "account.email-change-cancelled"
    /// A verification link was opened on another device with a wrong password.
    case emailProofRefused = "account.email-proof-refused"
    /// A sign-up under strict enumeration protection claimed an address; it is pending
    /// verification.
    case addressClaimed = "account.address-claimed"
    /// Another verification link was mailed.
    case verificationResent = "account.verification-resent"
    /// Another verification link was requested with the right password, but the address is verified
    /// already.
    case verificationNotNeeded = "account.verification-not-needed"
    /// A provider's grant was stored, so that deleting the account can revoke it.
    case grantKept = "grant.kept"
    /// A provider returned no grant for a code; `outcome` says why.
    case grantRefused = "grant.refused"
    /// A grant was revoked at its provider.
    case grantRevoked = "grant.revoked"
    /// Revoking a grant was given up: the provider has no such grant, or the identity is linked
    /// again.
    case grantRevocationGivenUp = "grant.revocation-given-up"
    /// A provider reported that the user revoked consent.
    case consentRevoked = "identity.consent-revoked"
    /// A provider reported that the user's account there was deleted.
    case providerAccountDeleted = "identity.provider-account-deleted"
    /// A provider reported that it ended the user's sessions there; the account's sessions from
    /// before end too.
    case providerSessionsRevoked = "identity.provider-sessions-revoked"
    /// A provider reported that it disabled the user's account there; the account's sessions from
    /// before end.
    case providerAccountDisabled = "identity.provider-account-disabled"
    /// A provider reported another change of the user's account there, which has no effect here;
    /// `attempt` is 1 if it is enabled again, 2 if a credential has to be changed, 0 otherwise.
    case providerAccountChanged = "identity.provider-account-changed"
    /// A provider reported that its mail relay is disabled.
    case relayTurnedOff = "identity.relay-turned-off"
    /// A provider reported that its mail relay is enabled again.
    case relayTurnedOn = "identity.relay-turned-on"
    /// The operator, or an application's support staff, suspended an account; `actor` says who.
    case accountSuspended = "account.suspended"
    /// They lifted a suspension.
    case accountRestored = "account.restored"
    /// They ended all of an account's sessions.
    case accountSignedOut = "account.signed-out-by-operator"
    /// They viewed an account's email, phone number and name.
    case accountShown = "account.shown"
    /// They viewed a page of accounts with these fields; `attempt` is the number of accounts.
    case accountsShown = "account.list-shown"
    /// They viewed a page of an account's activity.
    case activityShown = "account.activity-shown"
    /// An account's owner or the operator requested its deletion; `attempt` is 1 if it waits,
    /// `actor` says who if it was not the owner.
    case deletionRequested = "account.deletion-requested"
    /// A deletion that waited was cancelled.
    case deletionCancelled = "account.deletion-cancelled"
    /// The deletion of an account has begun: it cannot be cancelled any more. An app's backend
    /// deletes its own part.
    case deletionBegun = "account.deletion-begun"
    /// The app's backend did not report within 72 hours that it has deleted its part: the deletion
    /// continues without it.
    case deletionUnanswered = "account.deletion-unanswered"
    /// An account and its data are deleted.
    case accountDeleted = "account.deleted"
    /// A link to delete an account was requested.
    case deletionLinkRequested = "account.deletion-link-requested"
    /// A link to delete an account was mailed.
    case deletionLinkMailed = "account.deletion-link-mailed"
    /// An account was signed in to from a device that is new for it.
    case newDevice = "sign-in.new-device"
    /// The owner said, by the link of a mail, that a sign-in or an added method was another's: all
    /// sessions ended, and the password counts no more.
    case signInDisowned = "sign-in.disowned"
    /// A user signed in.
    case signInSucceeded = "sign-in.succeeded"
    /// A sign-in was refused; `outcome` says why.
    case signInFailed = "sign-in.failed"
    /// The first proof of a sign-in was right, and a second one is asked for.
    case signInChallenged = "sign-in.challenged"
    /// A second factor was added to an account.
    case secondFactorAdded = "second-factor.added"
    /// A second factor was removed by its account's owner.
    case secondFactorRemoved = "second-factor.removed"
    /// A change of an account's second factors was refused; `outcome` says why.
    case secondFactorRefused = "second-factor.refused"
    /// The operator, or an application's support staff, asked for the removal of all second factors
    /// of an account; `actor` says who.
    case secondFactorResetRequested = "second-factor.reset-requested"
    /// A removal of all second factors that waited was stopped, by a second factor or by the link of
    /// the mail about it.
    case secondFactorResetCancelled = "second-factor.reset-cancelled"
    /// All second factors and recovery codes of an account were removed, as support had asked.
    case secondFactorReset = "second-factor.reset"
    /// Recovery codes were made in place of an account's former ones.
    case recoveryCodesMade = "recovery-codes.made"
    /// A recovery code was used up.
    case recoveryCodeUsed = "recovery-code.used"
    /// A passkey was added to an account.
    case passkeyAdded = "passkey.added"
    /// A passkey was removed: by its account's owner, by the link of the mail about it, or by the
    /// operator; `actor` says who then.
    case passkeyRemoved = "passkey.removed"
    /// A passkey got another name.
    case passkeyRenamed = "passkey.renamed"
    /// A signature by a passkey, or a change of the passkeys, was refused; `outcome` says why.
    case passkeyRefused = "passkey.refused"
    /// The count of a passkey's signatures did not rise: it may have been copied.
    case passkeyCounterBehind = "passkey.counter-behind"
    /// A passkey that could not be backed up now can, or the other way round.
    case passkeyBackupChanged = "passkey.backup-changed"
    /// A limit on wrong passwords or codes of an account was reached: sign-ins to it wait, but from
    /// devices that it knows. `detail` is the limit, `attempt` the seconds.
    case accountLocked = "account.locked"
    /// A phone code was requested; `subject` is the number's keyed hash.
    case phoneCodeRequested = "phone-code.requested"
    /// A phone code was rejected; `outcome` says why, `attempt` counts the attempts on one code.
    case phoneCodeRefused = "phone-code.refused"
    /// An account's owner reauthenticated with a phone code.
    case phoneCodeProved = "phone-code.proved"
    /// Identity learned of a number of an account that it recently changed its owner or SIM.
    case phoneNumberChanged = "phone.number-changed"
    /// The owner confirmed a changed number with another proof.
    case phoneNumberConfirmed = "phone.number-confirmed"
    /// The owner of an account wrote documents; `attempt` is their number.
    case documentWritten = "document.written"
    /// The owner of an account removed a document.
    case documentRemoved = "document.removed"
    /// A backend wrote documents of an account; `attempt` is their number.
    case documentWrittenByBackend = "document.written-by-backend"
    /// A backend removed a document of an account.
    case documentRemovedByBackend = "document.removed-by-backend"
    /// A backend had a push message sent to the devices of an account; `actor` says who.
    case pushSentByBackend = "push.sent-by-backend"
    /// A backend created an account, or took one over that had its address unverified. For this and
    /// the next three kinds `actor` says who; it may also be the operator.
    case accountCreatedByBackend = "account.created-by-backend"
    /// A backend changed an account.
    case accountChangedByBackend = "account.changed-by-backend"
    /// A backend replaced an account's roles and claims.
    case claimsSetByBackend = "account.claims-set"
    /// A backend got a link to an account.
    case linkIssued = "account.link-issued"
    /// An app made a link to a page in the session of the account's owner.
    case linkCreated = "account.link-created"
    /// What happens to a guest's documents was chosen, by the owner of the account that the guest
    /// signed in to or by the operator's setting; `attempt` is 1 to discard them, 2 to move them
    /// into the account, 3 to keep the guest, and 0 for documents that the owner uploaded.
    case guestDataChosen = "guest-data.chosen"
    /// All documents of a guest were moved into an account; `attempt` is their number.
    case guestDataMigrated = "guest-data.migrated"
    /// Some documents of a guest could not be moved; `attempt` is their number.
    case guestDataNeedsAttention = "guest-data.needs-attention"
    /// An account's owner agreed to something; `attempt` is 1 for the terms, 2 for the privacy
    /// text, 3 for marketing, 4 for analytics.
    case consentGiven = "consent.given"
    /// An account's owner withdrew a consent; `attempt` as in `consent.given`.
    case consentWithdrawn = "consent.withdrawn"
    /// An account's owner changed the privacy settings; `attempt` is what they are now: 1 for
    /// marketing, 2 for analytics, added.
    case privacyChanged = "consent.privacy-changed"
    /// A parent was asked for consent, at the address whose hash is the subject.
    case parentAsked = "consent.parent-asked"
    /// A parent gave consent.
    case parentConsented = "consent.parent-given"
    /// A parent refused consent, or withdrew it.
    case parentRefused = "consent.parent-refused"
    /// A sign-up was refused, because the person is too young.
    case underageRefused = "sign-up.underage-refused"
    /// An account's owner ordered an export of all data.
    case exportRequested = "export.requested"
    /// An export can be fetched.
    case exportReady = "export.ready"
    /// A session of the account's owner fetched from the archive for the first time, from any byte.
    case exportFetched = "export.fetched"
    /// An account's owner deleted the export.
    case exportCancelled = "export.cancelled"
    /// Onboarding was completed: its documents were written, and the account's flag was set.
    case onboardingCompleted = "onboarding.completed"
    /// The drafts of onboarding were removed.
    case onboardingRestarted = "onboarding.restarted"
    /// The app's backend set whether onboarding is complete: `attempt` is 1, or 0 if it is not;
    /// `actor` says who.
    case onboardingSetByBackend = "onboarding.set-by-backend"
    /// A session was opened.
    case sessionStarted = "session.started"
    /// A session's refresh token was rotated.
    case sessionRefreshed = "session.refreshed"
    /// A session has ended: by a sign-out, by time, because others were opened, or for its owner's
    /// safety; but one whose refresh token was replayed has `refreshTokenReplayed` instead.
    case sessionEnded = "session.ended"
    /// A refresh repeated an earlier response: a retry within the grace, or one proved by a device
    /// key.
    case refreshRepeated = "session.refresh-repeated"
    /// A use of a refresh token was refused and its session continues; `outcome` says why.
    case refreshRefused = "session.refresh-refused"
    /// A session was refreshed from another device than it was opened on.
    case refreshElsewhere = "session.refresh-elsewhere"
    /// A refresh token was replayed, which ended its family.
    case refreshTokenReplayed = "session.refresh-token-replayed"
    /// A device's presence proof was refused; `outcome` says why. For these and for refused uses of
    /// refresh tokens there is one record for the first in ten minutes, and one for all of them
    /// with their count in `attempt`.
    case reauthenticationRefused = "session.reauthentication-refused"
    /// A session's owner reauthenticated.
    case sessionReauthenticated = "session.reauthenticated"
    /// All sessions of an account were ended.
    case accountSessionsEnded = "session.account-ended"
    /// A restored copy of a store was settled; `attempt` counts what ended with it, for example
    /// the sessions.
    case backupRestored = "store.backup-restored"
    /// A backup with a copy of this store was completed.
    case backedUp = "store.backed-up"
    /// The last link of an hour of this trail, signed in `detail`; `attempt` is its position
    /// (`AuditLinking`).
    case auditHead = "audit.head"
    /// The records up to `attempt` were kept long enough and removed; `detail` is the link there,
    /// signed (`AuditRetention`).
    case auditCut = "audit.cut"
    /// The operator accepted a clock that was far ahead.
    case clockAccepted = "clock.accepted"
    /// A signing key was generated; for this and the other kinds about one, `subject` is its `kid`
    /// and `attempt` its row.
    case signingKeyMade = "key.signing-key-made"
    /// A refresh token key was generated.
    case refreshKeyMade = "key.refresh-key-made"
    /// A published signing key started to sign.
    case signingKeyActivated = "key.signing-key-activated"
    /// A signing key's last token expired; the key verifies nothing any more.
    case signingKeyRetired = "key.signing-key-retired"
    /// An operator revoked a signing key.
    case signingKeyRevoked = "key.signing-key-revoked"
    /// A limit was reached. For this and the next four kinds there is one record for each limit,
    /// subject and wait, written when the wait is over; `attempt` counts the refusals during it,
    /// and `actor` is the limit (`limit/sign-up-by-address`).
    case limitReached = "limit.reached"
    /// A limit was reached repeatedly.
    case limitRepeated = "limit.repeated"
    /// A limit was reached by a caller who does not stop.
    case limitSevere = "limit.severe"
    /// Codes or passwords are being guessed.
    case bruteForce = "limit.brute-force"
    /// SMS pumping: messages are requested by someone who earns from them.
    case pumping = "limit.pumping"
    /// Credential stuffing: too many sign-ins fail across all accounts, as when leaked passwords
    /// are tried.
    case stuffingAlarm = "limit.stuffing-alarm"
    /// An operator reset the limits of a subject; or those of a deleted account were, and `attempt`
    /// is how many.
    case limitReset = "limit.reset"
    /// A new secret for hashing the subjects of limits came into use; `attempt` is its number.
    case subjectSecretMade = "key.subject-secret-made"
    /// A former subject secret was deleted: 91 days after it was replaced, or by the operator;
    /// `attempt` is its number.
    case subjectSecretForgotten = "key.subject-secret-forgotten"
    /// A message was accepted for delivery.
    case messageAccepted = "message.accepted"
    /// A provider accepted a message.
    case messageSent = "message.sent"
    /// A message was given up; `outcome` says why.
    case messageDead = "message.dead"
    /// An operator added a webhook.
    case webhookAdded = "webhook.added"
    /// An operator removed a webhook.
    case webhookRemoved = "webhook.removed"
    /// A webhook's secret was rotated.
    case webhookSecretRotated = "webhook.secret-rotated"
    /// A webhook was paused, by the operator or because its receiver asked for no more.
    case webhookHeldBack = "webhook.held-back"
    /// The operator resumed a webhook.
    case webhookResumed = "webhook.resumed"
    /// An event was given up because its webhook's receiver was unreachable for days.
    case webhookGivenUp = "webhook.given-up"
    /// An SMS provider reported that a number recently changed its owner or SIM; notification tells
    /// identity (`phone.number-changed`).
    case numberChanged = "message.number-changed"
    /// A device was registered for push messages.
    case pushDeviceAdded = "push-device.added"
    /// A device was moved from another account.
    case pushDeviceMoved = "push-device.moved"
    /// A device was removed because its provider reported it as unregistered.
    case pushDeviceDead = "push-device.dead"
    /// A session's devices were removed because it ended.
    case pushDeviceSignedOut = "push-device.signed-out"
    /// A device, or those of a session, were removed by their account's owner.
    case pushDeviceRemoved = "push-device.removed"
    /// All devices of an account were removed.
    case pushDevicesRevoked = "push-device.all-revoked"
    /// A mail server reported that an address does not exist; it was added to the suppression list.
    case addressStopped = "address.stopped"
    /// An operator removed an address from the suppression list.
    case addressReleased = "address.released"
    /// An operator retried a message that had been given up.
    case messageRetried = "message.retried"
    /// An operator discarded a message.
    case messageDiscarded = "message.discarded"
    /// An account's messages and devices were deleted.
    case messagesForgotten = "message.forgotten"
}

extension AuditKind {
    /// Whether a pattern names a kind: the kind itself, `session.started`, or a prefix, `session.*`.
    package static func matches(_ pattern: String, _ kind: String) -> Bool {
        pattern.hasSuffix("*") ? kind.hasPrefix(pattern.dropLast()) : kind == pattern
    }
}
