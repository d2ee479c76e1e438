package import RPC

extension ProgramDescription {
    /// The methods of `server` that our services call, by the caller. A caller in this table may
    /// call nothing else there, so an attacker who takes one over gains no more than what it calls:
    /// notification, which communicates with outside systems, reaches no account and no session.
    /// The tool, which is the operator's, may call everything, also what is for named callers only:
    /// it administers accounts at identity while the gateway is down (I-09).
    ///
    /// A test compares the table with the calls in the sources (`Tests/TidyTests/CallerListTests.swift`).
    package static func innerCalls(at server: String) -> [String: [MethodPattern]] {
        let ours = (innerCalls[server] ?? [:]).mapValues { $0.compactMap { MethodPattern($0) } }
        return CallContext.operators.reduce(into: ours) { $0[$1] = [.everything] }
    }

    private static let innerCalls = [
        "identity": [
            // Identity judges the access token or the backend's signature of each call, and those of
            // Admin by its setting `account-admins`.
            "gateway": [
                "postern.gateway.v1.AccountDeletion/*", "postern.gateway.v1.AccountSessions/*",
                "postern.gateway.v1.Admin/*", "postern.gateway.v1.Auth/*",
                "postern.gateway.v1.BackendAccounts/*",
                "postern.gateway.v1.BackendDocuments/*", "postern.gateway.v1.BackendPush/*",
                "postern.gateway.v1.Consents/*", "postern.gateway.v1.DataExports/*",
                "postern.gateway.v1.Documents/*",
                "postern.gateway.v1.Emails/*", "postern.gateway.v1.Guests/*",
                "postern.gateway.v1.Onboarding/*", "postern.gateway.v1.Passkeys/*",
                "postern.gateway.v1.Profile/*",
                "postern.gateway.v1.ProviderNotices/*", "postern.gateway.v1.Providers/*",
                "postern.gateway.v1.PushRegistrations/*", "postern.gateway.v1.SecondFactors/*",
                "postern.gateway.v1.SignInMethods/*", "postern.gateway.v1.SignInOptions/*",
                "postern.identity.v1.AccountConsents/*",
                "postern.identity.v1.AccountDeletions/*", "postern.identity.v1.AccountExports/*",
                "postern.identity.v1.Accounts/*", "postern.identity.v1.Credentials/*",
                "postern.identity.v1.EmailChanges/*", "postern.identity.v1.Identities/*",
                "postern.identity.v1.ManagedAccounts/*", "postern.identity.v1.PhoneCodes/*",
                "postern.identity.v1.SecondProofs/*", "postern.identity.v1.SignInSignals/*",
            ],
            // The worst result of a false report is that an owner is asked for a second proof.
            "notification": [readEvents, "postern.identity.v1.PhoneSignals/NumberChanged"],
            "session": ["postern.identity.v1.AccountNotices/Tell"],
        ],
        "session": [
            "notification": [readEvents],
            "identity": accountData + [
                "postern.events.v1.Events/ListAccountEvents",
                "postern.session.v1.AccountActivity/GetAccountActivity",
                "postern.session.v1.AccountActivity/ListAccountActivity",
                "postern.session.v1.Devices/ListProofs",
                "postern.session.v1.Sessions/EndAccountSessions",
                "postern.session.v1.Sessions/InspectSession",
                "postern.session.v1.Sessions/SetAccountClaims",
                "postern.session.v1.Sessions/ValidateAccessToken",
            ],
        ],
        "rate-limit": [
            "notification": [readEvents],
            "identity": accountData,
        ],
        "notification": [
            "identity": accountData + [
                "postern.notification.v1.Notifications/SendEmail",
                "postern.notification.v1.PushDevices/List",
                "postern.notification.v1.PushDevices/Register",
                "postern.notification.v1.PushDevices/RevokeAll",
                "postern.notification.v1.PushDevices/Unregister",
                "postern.notification.v1.PushDevices/Update",
                "postern.notification.v1.PushMessages/SendPush",
                "postern.notification.v1.RelayAddresses/SetRelay",
                "postern.notification.v1.TextMessages/SendText",
            ]
        ],
    ]

    private static let readEvents = "postern.events.v1.Events/ReadEvents"

    /// Export and deletion (G-20, G-21).
    private static let accountData = [
        "postern.accountdata.v1.AccountData/CollectAccountData",
        "postern.accountdata.v1.AccountData/ForgetAccountData",
        "postern.accountdata.v1.AccountData/ListAccountsWithData",
    ]
}
