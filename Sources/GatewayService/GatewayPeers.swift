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
        let accountAdmin: any AccountAdminAPI
        let consents: any AccountConsentsAPI
        let deletions: any AccountDeletionsAPI
        let exports: any AccountExportsAPI
        /// For uploads and downloads of photos only.
        let photos: any AccountProfilesAPI
        /// For uploads of bundles only.
        let guestData: any GuestDataAPI
        /// For the public methods that identity implements.
        let relayed: Relay.Owner

        /// Any implementations of its apis.
        package init(
            accounts: any AccountsAPI, credentials: any CredentialsAPI,
            identities: any IdentitiesAPI, phoneCodes: any PhoneCodesAPI,
            emailChanges: any EmailChangesAPI, accountAdmin: any AccountAdminAPI,
            profiles: any AccountProfilesAPI, consents: any AccountConsentsAPI,
            guestData: any GuestDataAPI, deletions: any AccountDeletionsAPI,
            exports: any AccountExportsAPI, relayed: Relay.Owner
        ) {
            self.accounts = accounts
            self.credentials = credentials
            self.identities = identities
            self.phoneCodes = phoneCodes
            self.emailChanges = emailChanges
            self.accountAdmin = accountAdmin
            self.consents = consents
            self.guestData = guestData
            self.deletions = deletions
            self.exports = exports
            self.relayed = relayed
            photos = profiles
        }

        /// The service in another program.
        ///
        /// Attack: some accounts follow their documents, or read photos or exports slowly, until
        /// all calls that one connection can carry (`FrameLimits.servedCallsMax`) are theirs, and
        /// sign-ins wait. So streams have a channel of their own, and followers, who may stay for
        /// an hour, another.
        package init(
            _ channel: any PackedChannel, streams: any PackedChannel,
            watches: any PackedChannel
        ) {
            self.init(
                accounts: AccountsClient(channel), credentials: CredentialsClient(channel),
                identities: IdentitiesClient(channel), phoneCodes: PhoneCodesClient(channel),
                emailChanges: EmailChangesClient(channel),
                accountAdmin: AccountAdminClient(channel),
                profiles: AccountProfilesClient(streams),
                consents: AccountConsentsClient(channel), guestData: GuestDataClient(streams),
                deletions: AccountDeletionsClient(channel), exports: AccountExportsClient(channel),
                relayed: Relay.Owner(calls: channel, streams: streams, watches: watches))
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
