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
        let secondProofs: any SecondProofsAPI
        let emailChanges: any EmailChangesAPI
        let consents: any AccountConsentsAPI
        let managed: any ManagedAccountsAPI
        let deletions: any AccountDeletionsAPI
        let exports: any AccountExportsAPI
        let signals: any SignInSignalsAPI
        /// For the public methods that identity implements.
        let relayed: Relay.Channels

        /// Any implementations of its apis.
        package init(
            accounts: any AccountsAPI, credentials: any CredentialsAPI,
            identities: any IdentitiesAPI, phoneCodes: any PhoneCodesAPI,
            secondProofs: any SecondProofsAPI, emailChanges: any EmailChangesAPI,
            consents: any AccountConsentsAPI, managed: any ManagedAccountsAPI,
            deletions: any AccountDeletionsAPI, exports: any AccountExportsAPI,
            signals: any SignInSignalsAPI, relayed: Relay.Channels
        ) {
            self.accounts = accounts
            self.credentials = credentials
            self.identities = identities
            self.phoneCodes = phoneCodes
            self.secondProofs = secondProofs
            self.emailChanges = emailChanges
            self.consents = consents
            self.managed = managed
            self.deletions = deletions
            self.exports = exports
            self.signals = signals
            self.relayed = relayed
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
                secondProofs: SecondProofsClient(channel),
                emailChanges: EmailChangesClient(channel),
                consents: AccountConsentsClient(channel),
                managed: ManagedAccountsClient(channel),
                deletions: AccountDeletionsClient(channel), exports: AccountExportsClient(channel),
                signals: SignInSignalsClient(channel),
                relayed: Relay.Channels(calls: channel, streams: streams, watches: watches))
        }
    }

    /// The session service.
    package struct Session: Sendable {
        let sessions: any SessionsAPI
        let devices: any DevicesAPI
        let ends: any SessionEndsAPI
        let clock: any ClockAPI
        /// For the public methods that session implements.
        let relayed: Relay.Channels

        /// Any implementations of its apis.
        package init(
            sessions: any SessionsAPI, devices: any DevicesAPI, ends: any SessionEndsAPI,
            clock: any ClockAPI, relayed: Relay.Channels
        ) {
            self.sessions = sessions
            self.devices = devices
            self.ends = ends
            self.clock = clock
            self.relayed = relayed
        }

        /// The service in another program.
        package init(_ channel: any PackedChannel) {
            self.init(
                sessions: SessionsClient(channel), devices: DevicesClient(channel),
                ends: SessionEndsClient(channel), clock: ClockClient(channel),
                // No method that session implements has a stream.
                relayed: Relay.Channels(calls: channel, streams: channel, watches: channel))
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
