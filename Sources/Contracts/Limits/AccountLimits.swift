extension LimitName {
    /// Sign-ups and corrections of a mistyped email from one address; IPv6 by /48, which is what one
    /// customer has.
    package static let signUpByAddress = LimitName(4)
    /// The same at a site that many people share.
    package static let signUpBySharedSite = LimitName(62)
    /// Guest accounts from one address; IPv6 by /48.
    package static let guestSignUpByAddress = LimitName(25)
    /// Sign-ups and guest accounts of one app of the web service.
    package static let newAccountByApp = LimitName(38)
    /// Sign-ups on one email, and corrections to it, from one address, or from one application
    /// without addresses. While the email is taken, each of them sends its owner a mail.
    package static let signUpOnTakenEmail = LimitName(5)
    /// Password reset links to one email.
    package static let passwordResetByEmail = LimitName(16)
    /// Links to delete an account, to one email.
    package static let deletionLinkByEmail = LimitName(41)
    /// Links to reset a password or to delete an account, requested from one address, to any
    /// emails; IPv6 by /48.
    package static let passwordResetByAddress = LimitName(30)
    /// Verification mails that one account requests, and corrections of its email.
    package static let verificationMailByAccount = LimitName(15)
    /// Mails to the parents that one account names.
    package static let parentalMailByAccount = LimitName(42)
    /// Mails to one email that other people cause: it is taken, is about to become another account's,
    /// or has become one's by a correction.
    package static let mailByTarget = LimitName(31)
    /// Checks of new passwords, and new passwords that are sent, from one address; IPv6 by /64.
    package static let passwordCheckByAddress = LimitName(37)
    /// Changes of one account's profile.
    package static let profileUpdateByAccount = LimitName(17)
    /// Calls that write one account's documents.
    package static let documentWriteByAccount = LimitName(39)
    /// What one account's documents cost, in units of `DocumentWork`.
    package static let documentWorkByAccount = LimitName(45)
    /// Bundles of a guest's documents that are uploaded to one account.
    package static let guestBundleByAccount = LimitName(40)
    /// Exports of one account's data.
    package static let exportByAccount = LimitName(43)
    /// Devices for push messages that one account registers, and their new tokens.
    package static let pushDeviceByAccount = LimitName(47)
    /// Requests to delete one account, in its own sessions.
    package static let deletionByAccount = LimitName(44)
    /// Push messages of backends to one account.
    package static let pushByAccount = LimitName(48)
    /// Calls of a backend about accounts that it manages.
    package static let backendAccountByApplication = LimitName(61)
    /// Calls of an application that may assert its users' addresses and did not. All its users
    /// share one subject, so that the application notices.
    package static let unaddressedByApplication = LimitName(6)
}

/// The limits on accounts that are created, on mails, and on what an account changes.
let accountLimits: [LimitDefinition] = [
    // Against accounts created by one customer.
    LimitDefinition(
        .signUpByAddress, "sign-up-by-address", .window(3, minutes: 60), of: .site, in: .address,
        filledBy: "accounts created, and mistyped emails corrected (`CorrectEmail`)",
        refuses: "that address", abuse: "A, S: its own", wayIn: "another network"),
    // The same where many people share an address: a school, an office, a carrier's gateway. It
    // replaces the limit above there (`RateLimitService/Lanes/SharedSites.swift`).
    LimitDefinition(
        .signUpBySharedSite, "sign-up-by-shared-site", .window(60, minutes: 60), of: .site,
        in: .address, by: .limiter,
        filledBy: "the same, at a site whose `accounts-by-site` is full",
        refuses: "that address, so all who share it",
        abuse: """
            A, S: one of the site's people fills it for an hour; with twenty accounts that are \
            proved and a week old, its own
            """,
        wayIn: "sign in: existing accounts do not count here; another network"),
    // The same for guests: an app creates one for each installation, and many users share one
    // address.
    LimitDefinition(
        .guestSignUpByAddress, "guest-sign-up-by-address", .window(30, minutes: 60), of: .site,
        in: .address,
        filledBy: "guests created", refuses: "that address", abuse: "A, S: its own",
        wayIn: "another network"),
    // The store, against accounts that many addresses create with one app's key, which is public.
    // More than any app gains in an hour; others can be given a higher limit.
    LimitDefinition(
        .newAccountByApp, "new-account-by-app", .rate(10_000, minutes: 60), of: .app, in: .address,
        isDurable: false,
        filledBy: "accounts created with its key, guests too",
        refuses: "more new accounts of that app",
        abuse: "A, S: 3 and 30; T: fills it in the first hour",
        wayIn: """
            sign in: existing accounts do not count here; a new user by another app, a provider or \
            a phone code, or a backend
            """),
    // An email's owner, against the mails that sign-ups of one customer cause.
    LimitDefinition(
        .signUpOnTakenEmail, "sign-up-on-taken-email", .window(3, minutes: 60), of: .emailAtSite,
        in: .text,
        filledBy: "sign-ups there, and corrections to it", refuses: "that address for that email",
        abuse: "A: its own", wayIn: "sign in"),
    // An email's owner, against reset links.
    LimitDefinition(
        .passwordResetByEmail, "password-reset-by-email", .window(3, minutes: 60), of: .email,
        in: .text, says: .mail, buckets: 17,
        filledBy: "links that any caller requests", refuses: "more links to that email",
        abuse: "V: uses it up, each time with a valid link to the owner",
        wayIn: "the link in the owner's mailbox; known device, provider, phone code"),
    // An email's owner, against links to the page that deletes an account.
    LimitDefinition(
        .deletionLinkByEmail, "deletion-link-by-email", .window(3, minutes: 60), of: .email,
        in: .text, says: .mail,
        filledBy: "links to delete the account that any caller requests",
        refuses: "more such links to that email",
        abuse: """
            V: uses it up, each time with a valid link to the owner, who is asked twice before \
            anything is deleted
            """,
        wayIn: "sign-in does not count here; the app deletes an account without a link"),
    // Against links requested by one customer. Six families behind one address may each forget a
    // password three times.
    LimitDefinition(
        .passwordResetByAddress, "password-reset-by-address", .window(20, minutes: 60), of: .site,
        in: .address, says: .mail,
        filledBy: """
            links requested, to reset a password or to delete an account; sign-ins disowned by a \
            mailed link
            """,
        refuses: "that address", abuse: "A, S: its own", wayIn: "another network"),
    // An email's owner, against verification mails that an account requests.
    LimitDefinition(
        .verificationMailByAccount, "verification-mail-by-account", .window(3, minutes: 60),
        of: .accountOrEmail, in: .text, says: .mail,
        filledBy: "mails that its owner requests to verify the address, and corrections of it",
        refuses: "that account",
        abuse: """
            none: only the account's own session or its password charges it. Under `strict` each \
            account that claims an email has its own three, and an address creates three accounts \
            in 1 h
            """,
        wayIn: "the mails that were sent"),
    // Other people, against mails of one child. Two parents, and one address that was mistyped.
    LimitDefinition(
        .parentalMailByAccount, "parental-mail-by-account", .window(3, minutes: 24 * 60),
        of: .account, in: .text, says: .mail,
        filledBy: "requests for the consent of a parent, also repeats that send nothing",
        refuses: "more such requests of that account",
        abuse: "none: only the account's own session charges it",
        wayIn: "the links that were mailed go on working; after a day"),
    // An email's owner, against mails that strangers cause. Five an hour inform the owner. More
    // would add nothing and could hide those that the owner requests.
    LimitDefinition(
        .mailByTarget, "mail-by-target", .window(5, minutes: 60), of: .email, in: .text,
        says: .mail,
        filledBy: """
            mails that strangers can cause too: the email is taken, is about to become another \
            account's, has become one's by a correction, or is claimed by a sign-up under \
            `enumeration: strict`
            """,
        refuses: """
            without a session no caller: the mail is not sent, the response is the same. A change \
            of email: the caller is refused with the wait
            """,
        abuse: "T, V: uses it up for an hour, in which the email's owner gets five of these mails",
        wayIn: """
            of an account: reset link, sign-in codes, provider and its own verification mails, \
            none of which is counted here. After a sign-up under `strict`: another verification \
            mail in the new session (`verification-mail-by-account`), or a provider. A change of \
            email: waiting
            """),
    // Identity's time and its 64 places at the service of leaked passwords, against one household's
    // checks of new passwords, and new passwords that are sent: one a second is more than a person
    // types. None says anything about another person's account, so the limit protects no secret.
    LimitDefinition(
        .passwordCheckByAddress, "password-check-by-address", .window(60, minutes: 1), of: .address,
        in: .address, isDurable: false,
        filledBy: """
            checks of new passwords (`CheckPassword`), and new passwords that are sent, also refused \
            ones: with a mailed link (`ResetPassword`, `VerifyEmail`), at a sign-up, in a session \
            (`ChangePassword`, `LinkPassword`)
            """,
        refuses: "more of them from that address",
        abuse: "A, S: its own; the limit bounds work and protects no secret",
        wayIn: """
            a minute later, or from another address; a link stays valid, and in the own session \
            `VerifyEmail` needs no password
            """),
    // The store, against one account's changes.
    LimitDefinition(
        .profileUpdateByAccount, "profile-update-by-account", .window(10, minutes: 60),
        of: .account, in: .account, says: .change, isDurable: false,
        filledBy: """
            changes of its display name, its photo and its documents of the collection `profile`; \
            not the completion of onboarding
            """,
        refuses: "more such changes of that account",
        abuse: "none: only the account's own session charges it",
        wayIn: "after an hour; sign-in, reads and all other documents do not count here"),
    // The same, against one account's documents. An app that saves each screen or each change of a
    // setting writes less than once a second.
    LimitDefinition(
        .documentWriteByAccount, "document-write-by-account", .window(60, minutes: 1), of: .account,
        in: .account, says: .change, isDurable: false,
        filledBy: """
            calls that write or remove its documents or its drafts of onboarding, change its \
            consents or privacy settings, choose about a guest's documents or retry their \
            migration, link or remove a sign-in method, remove a device for push messages, make a \
            link to a page (`CreateDeletionLink`, `CreateExportLink`), or prove the owner \
            (`Reauthenticate`), also refused ones
            """,
        refuses: "more such calls of that account",
        abuse: "none: only the account's own session charges it",
        wayIn: """
            after a minute; reads and the completion of onboarding do not count here, and backends \
            write without it
            """),
    // Identity's time, against one account's large documents, in units of `DocumentWork`: 16 KiB. A
    // merge into a document of the longest size has four, so one of these passes each second. All
    // that an account may have by default, 1 MiB, is written in 64.
    LimitDefinition(
        .documentWorkByAccount, "document-work-by-account", .rate(480, minutes: 1), of: .account,
        in: .account, says: .change, isDurable: false,
        filledBy: """
            units of 16 KiB, of the JSON that its calls work on \
            (`Contracts/Limits/DocumentWork.swift`): of each document the longer one of what is \
            sent and what is merged into, 1 KiB at least; a completion of onboarding; 64 units for \
            a retry of a guest's migration; also of refused calls, and of each retry
            """,
        refuses: "more such calls of that account",
        abuse: "none: only the account's own session charges it",
        wayIn: """
            at once with small documents, of which 16 are one unit; four more units each second; \
            sign-in and reads do not count here, and backends write without it
            """),
    // The store, against one account's bundles of 200 documents. An app sends one, at the sign-in.
    LimitDefinition(
        .guestBundleByAccount, "guest-bundle-by-account", .window(5, minutes: 60), of: .account,
        in: .account, says: .change, isDurable: false,
        filledBy: """
            bundles of a guest's documents that it uploads, also refused ones; a repeat with the \
            same idempotency key counts once
            """,
        refuses: "more bundles to that account",
        abuse: "none: only the account's own session charges it",
        wayIn: "after an hour; writes of documents do not count here"),
    // All services' time, against one account's exports: each reads all that there is.
    LimitDefinition(
        .exportByAccount, "export-by-account", .window(3, minutes: 24 * 60), of: .account,
        in: .account, says: .change, isDurable: false,
        filledBy: """
            exports of its data that are ordered; one that exists is returned without a charge
            """,
        refuses: "more exports of that account",
        abuse: "none: only the account's own session charges it",
        wayIn: "after a day; sign-in does not count here, and an export stays for 7 days"),
    // An email's owner, against the mails of a session that requests and cancels in turns. Its own
    // limit: other mails may not delay a deletion.
    LimitDefinition(
        .deletionByAccount, "deletion-by-account", .window(3, minutes: 60), of: .account,
        in: .account,
        filledBy: "requests to delete it in its own session, which it has cancelled since",
        refuses: "more such requests of that account",
        abuse: "none: only the account's own session charges it",
        wayIn: """
            after an hour, or by a mailed link (`deletion-link-by-email`); no other mail counts \
            here
            """),
    // Notification's store, against one account's registrations. An app registers at each start, and
    // an account has 5 sessions.
    LimitDefinition(
        .pushDeviceByAccount, "push-device-by-account", .window(30, minutes: 60), of: .account,
        in: .account, says: .change, isDurable: false,
        filledBy: """
            devices for push messages that it registers in its own sessions, and their new tokens, \
            also repeats
            """,
        refuses: "more registrations and new tokens of that account",
        abuse: "none: only the account's own session charges it",
        wayIn: """
            after an hour; registered devices get their messages, and sign-in does not count here
            """),
    // A person, against backends that push without end: one a minute. All backends together, since
    // the person sees one app. Its subject is the account that the request names
    // (`MethodDescription.pushCharge`).
    LimitDefinition(
        .pushByAccount, "push-by-account", .window(60, minutes: 60), of: .account, in: .account,
        isDurable: false,
        filledBy: """
            push messages that backends send to it, all backends together; repeats by one \
            application token count once; the person's own notices and codes do not count
            """,
        refuses: "more push messages of backends to that account",
        abuse: """
            a backend that `push-senders` names fills it, and the messages of other backends wait; \
            no other caller can
            """,
        wayIn: "after an hour; notices, codes and sign-in do not count here"),
    // Our work, against a backend that manages accounts without end, or whose key a thief uses: ten
    // calls a second. A company's people are created in minutes.
    LimitDefinition(
        .backendAccountByApplication, "backend-account-by-application",
        .rate(600, minutes: 1), of: .backend, in: .address, isDurable: false,
        filledBy: """
            its calls of `BackendAccounts`, also those that are refused; repeats by one application \
            token count once
            """,
        refuses: "more such calls of that backend",
        abuse: "none: only a backend that `account-managers` names fills it, and its own",
        wayIn: "after a second or more; sign-in does not count here"),
    // Against an application that does not assert its users' addresses, so that it notices.
    LimitDefinition(
        .unaddressedByApplication, "unaddressed-by-application", .window(60, minutes: 1),
        of: .application, in: .address, isDurable: false,
        filledBy: "all attempts of its users", refuses: "that application",
        abuse: "any user of the application fills it", wayIn: "the application asserts addresses"),
]
