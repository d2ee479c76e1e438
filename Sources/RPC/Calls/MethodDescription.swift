/// What a method promises, from its options in the `.proto`.
package struct MethodDescription: Sendable, Hashable {
    /// `package.Service/Method`, as it stands in a Request.
    package let name: String
    /// A client may send the call again unasked.
    package let isIdempotent: Bool
    /// The deadline of a call that names none.
    package let timeout: Duration
    /// The handler never waits and runs on the connection's event loop.
    package let isOnLoop: Bool
    /// Which sides send items.
    package let streams: Streams

    /// Which sides of a call send items beside its request and its answer.
    package enum Streams: Hashable, Sendable {
        /// A unary call.
        case none
        /// Items come from the server, and its Response ends them.
        case response
        /// Items come from the client, and the Response answers them.
        case request
        /// Items go both ways at once.
        case both

        /// The client sends items.
        package var hasRequestItems: Bool { self == .request || self == .both }
        /// The server sends items.
        package var hasResponseItems: Bool { self == .response || self == .both }
    }

    /// A follower: a stream of the server's whose name begins with `Watch`. It has no end of its
    /// own, shows every `FrameLimits.watchHeartbeat` that it is there, and goes on elsewhere when
    /// its server drains.
    package let isWatch: Bool
    /// The handler works hard or waits for what is scarce: it runs in a lane of its own.
    package let isCostly: Bool
    /// A client may send an idempotent call to a second server after this long without an answer.
    package let hedgeAfter: Duration?
    /// Who may call all methods may not call this one: it has to be named in the list of callers.
    package let isForNamedCallersOnly: Bool

    /// Its request has a field of the option `secret`: what it was read from is wiped once it is
    /// read, what it was written to once it is sent.
    package let hasSecrets: Bool

    /// A method's description.
    package init(
        name: String, isIdempotent: Bool, timeout: Duration, isOnLoop: Bool,
        streams: Streams = .none, isCostly: Bool = false, hedgeAfter: Duration? = nil,
        isForNamedCallersOnly: Bool = false, hasSecrets: Bool = false
    ) {
        self.streams = streams
        let own = name.split(separator: "/").last ?? ""
        isWatch = streams == .response && own.hasPrefix("Watch")
        self.name = name
        self.isIdempotent = isIdempotent
        self.timeout = timeout
        self.isOnLoop = isOnLoop
        self.isCostly = isCostly
        self.hedgeAfter = hedgeAfter
        self.isForNamedCallersOnly = isForNamedCallersOnly
        self.hasSecrets = hasSecrets
    }
}

/// A service: its methods, and its descriptors for reflection.
package struct ServiceDescription: Sendable {
    /// Full name, for instance `postern.session.v1.Sessions`.
    package let name: String
    /// In the order of the `.proto`.
    package let methods: [MethodDescription]
    /// A serialised `google.protobuf.FileDescriptorSet`, as base64.
    package let fileDescriptorSet: String

    /// A service's description.
    package init(name: String, methods: [MethodDescription], fileDescriptorSet: String) {
        self.name = name
        self.methods = methods
        self.fileDescriptorSet = fileDescriptorSet
    }
}
