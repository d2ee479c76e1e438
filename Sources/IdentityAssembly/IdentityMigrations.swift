import AccountLife
package import IdentityService
import PersonalData
package import Storage

extension IdentityTables {
    /// The migrations from an empty store, for `Store.init`. Each module has the texts of its
    /// subjects; a path without a module is in `IdentityService`.
    package static let migrations = [
        // IdentityTables.swift
        Migration(number: 1, sql: accounts, server: accounts + accountKeyPages),
        Migration(number: 2, sql: notices),  // IdentityTables.swift
        Migration(number: 3, sql: identities),  // IdentityTables.swift
        Migration(number: 4, sql: oneOfEachMethod),  // Linking/LinkingStore.swift
        Migration(number: 5, sql: phoneCodes),  // PhoneCodes/PhoneCode.swift
        Migration(number: 6, sql: pendingAddresses),  // EmailChanges/EmailChangeStore.swift
        Migration(number: 7, sql: providerNotices),  // ProviderEvents/ProviderEventsHandler.swift
        Migration(number: 8, sql: imports),  // AccountLife/Imports/ImportStore.swift
        // Accounts/AccountStatusRule.swift, AccountLife/AccountAdmin/AdminStore.swift,
        // SignInHistory/SignInRecorder.swift
        Migration(number: 9, sql: accountStatus + suspensions + knownDevices),
        // Linking/LinkingStore.swift, Calls/SessionsEnd.swift
        Migration(number: 10, sql: removedIdentities + sessionsEnd),
        Migration(number: 11, sql: sessionGeneration),  // Calls/SessionsEnd.swift
        Migration(number: 12, sql: documents),  // PersonalData/Documents/DocumentTables.swift
        Migration(number: 13, sql: photos),  // PersonalData/Profiles/PhotoStore.swift
        Migration(number: 14, sql: onboarding),  // Accounts/OnboardingRecord.swift
        Migration(number: 15, sql: consents),  // Consents/Consents.swift
        // PersonalData/GuestData/StoredMigration.swift
        Migration(number: 16, sql: guestMigrations),
        // Consents/AgeGate.swift, Consents/ParentalConsentStore.swift
        Migration(number: 17, sql: ages + parentalConsents),
        Migration(number: 18, sql: deletions),  // AccountLife/Deletions/DeletionStore.swift
        Migration(number: 19, sql: exports),  // PersonalData/Exports/ExportStore.swift
        // AccountLife/UnusedGuests/UnusedGuestSearch.swift
        Migration(number: guestsMigration, sql: guests),
        Migration(number: 21, sql: unrequestedMails),  // AccountNotices/UnrequestedMail.swift
        Migration(number: 22, sql: guesses),  // Accounts/SettleGuesses.swift
        Migration(number: 23, sql: parentalConsentEnds),  // Consents/ParentalConsentStore.swift
        // PersonalData/Documents/DocumentAudit.swift, Newcomers/NewcomerBytes.swift
        Migration(number: 24, sql: documentChanges + NewcomerBytes.table),
        Migration(number: 25, sql: "", server: BlobRows.tables),  // Storage/Server/BlobRows.swift
        Migration(number: 26, sql: noticeChannels),  // AccountNotices/NoticeRule.swift
        // SignInHistory/SignInMemory.swift, Accounts/ProfileCompletion.swift
        Migration(number: 27, sql: signInMemory + profileCompletion),
        Migration(number: 28, sql: disownedSignIns),  // EmailLinks/DisownLinks.swift
        // SecondProofs/SignInChallengeStore.swift
        Migration(number: 29, sql: signInChallenges),
        Migration(number: 30, sql: secondFactors),  // SecondFactors/SecondFactorStore.swift
        Migration(number: 31, sql: passkeys),  // Passkeys/PasskeyStore.swift
        Migration(number: 32, sql: accountClaims),  // Claims/AccountClaimsStore.swift
        // Consents/AgeGate.swift, EmailLinks/LinkMail.swift
        Migration(number: 33, sql: ageVerdict + verificationMails),
    ]
}
