package import Contracts
package import RPC

/// The services that the gateway calls.
package struct GatewayPeers: Sendable {
    /// The identity service.
    package struct Identity: Sendable {
        let accounts: any AccountsAPI
        let credentials: any CredentialsAPI
        let identities: any IdentitiesAPI
        let phoneCodes: any PhoneCodesAPI
        let emailChanges: any EmailChangesAPI
        let providerEvents: any ProviderEventsAPI
        let accountAdmin: any AccountAdminAPI
        let signInSettings: any SignInSettingsAPI
        let profiles: any AccountProfilesAPI
        let onboarding: any AccountOnboardingAPI
        let consents: any AccountConsentsAPI
        let guestData: any GuestDataAPI
        let deletions: any AccountDeletionsAPI
        let exports: any AccountExportsAPI
        /// For `watchDataExport` and `fetchDataExport` only.
        private(set) var exportStreams: any AccountExportsAPI
        /// For uploads and downloads of photos only.
        private(set) var photos: any AccountProfilesAPI
        /// For `uploadGuestBundle` and `watchMigration` only.
        private(set) var guestDataStreams: any GuestDataAPI
        /// For the public methods that identity implements.
        let relayed: Relay.Owner

        /// Any implementations of its apis.
        package init(
            accounts: any AccountsAPI, credentials: any CredentialsAPI,
            identities: any IdentitiesAPI, phoneCodes: any PhoneCodesAPI,
            emailChanges: any EmailChangesAPI, providerEvents: any ProviderEventsAPI,
            accountAdmin: any AccountAdminAPI, signInSettings: any SignInSettingsAPI,
            profiles: any AccountProfilesAPI,
            onboarding: any AccountOnboardingAPI, consents: any AccountConsentsAPI,
            guestData: any GuestDataAPI, deletions: any AccountDeletionsAPI,
            exports: any AccountExportsAPI, relayed: Relay.Owner
        ) {
            self.accounts = accounts
            self.credentials = credentials
            self.identities = identities
            self.phoneCodes = phoneCodes
            self.emailChanges = emailChanges
            self.providerEvents = providerEvents
            self.accountAdmin = accountAdmin
            self.signInSettings = signInSettings
            self.profiles = profiles
            self.onboarding = onboarding
            self.consents = consents
            self.guestData = guestData
            self.deletions = deletions
            self.exports = exports
            self.relayed = relayed
            (photos, guestDataStreams, exportStreams) = (profiles, guestData, exports)
        }

        /// The service in another program.
        ///
        /// Attack: some accounts follow their documents, or read photos or exports slowly, until
        /// all calls that one connection can carry (`FrameLimits.servedCallsMax`) are theirs, and
        /// sign-ins wait. So streams have a channel of their own, and followers of documents, who
        /// stay for an hour, another. Those of a migration or an export stay until it is done.
        package init(
            _ channel: any PackedChannel, streams: any PackedChannel,
            watches: any PackedChannel
        ) {
            self.init(
                accounts: AccountsClient(channel), credentials: CredentialsClient(channel),
                identities: IdentitiesClient(channel), phoneCodes: PhoneCodesClient(channel),
                emailChanges: EmailChangesClient(channel),
                providerEvents: ProviderEventsClient(channel),
                accountAdmin: AccountAdminClient(channel),
                signInSettings: SignInSettingsClient(channel),
                profiles: AccountProfilesClient(channel),
                onboarding: AccountOnboardingClient(channel),
                consents: AccountConsentsClient(channel), guestData: GuestDataClient(channel),
                deletions: AccountDeletionsClient(channel), exports: AccountExportsClient(channel),
                relayed: Relay.Owner(calls: channel, streams: streams, watches: watches))
            photos = AccountProfilesClient(streams)
            guestDataStreams = GuestDataClient(streams)
            exportStreams = AccountExportsClient(streams)
        }
    }

    /// The session service.
    package struct Session: Sendable {
        let sessions: any SessionsAPI
        let devices: any DevicesAPI
        let activity: any AccountActivityAPI
        let ends: any SessionEndsAPI
        let clock: any ClockAPI

        /// Any implementations of its apis.
        package init(
            sessions: any SessionsAPI, devices: any DevicesAPI, activity: any AccountActivityAPI,
            ends: any SessionEndsAPI, clock: any ClockAPI
        ) {
            self.sessions = sessions
            self.devices = devices
            self.activity = activity
            self.ends = ends
            self.clock = clock
        }

        /// The service in another program.
        package init(_ channel: any CallChannel) {
            self.init(
                sessions: SessionsClient(channel), devices: DevicesClient(channel),
                activity: AccountActivityClient(channel), ends: SessionEndsClient(channel),
                clock: ClockClient(channel))
        }
    }

    let identity: Identity
    let session: Session
    /// The rate limiter.
    let limits: any LimitsAPI

    /// Peers in other programs or in this process.
    package init(identity: Identity, session: Session, limits: any LimitsAPI) {
        self.identity = identity
        self.session = session
        self.limits = limits
    }
}
