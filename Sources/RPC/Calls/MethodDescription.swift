import Cryptography

/// The properties of a method, from its options in the `.proto`.
package struct MethodDescription: Sendable, Hashable {
    /// `package.Service/Method`, as written in a Request.
    package let name: String
    /// `Method`.
    package let rpcName: String
    /// A client may resend the call on its own.
    package let isIdempotent: Bool
    /// The default timeout, for calls without a deadline.
    package let timeout: Duration
    /// The handler never waits and runs on the connection's event loop.
    package let isOnLoop: Bool
    /// Which sides send items.
    package let streams: Streams

    /// Which sides of a call send items in addition to its request and response.
    package enum Streams: Hashable, Sendable {
        /// A unary call.
        case none
        /// The server sends items; its Response ends them.
        case response
        /// The client sends items; the Response follows them.
        case request
        /// Both sides send items at the same time.
        case both

        /// Whether the client sends items.
        package var hasRequestItems: Bool { self == .request || self == .both }
        /// Whether the server sends items.
        package var hasResponseItems: Bool { self == .response || self == .both }
    }

    /// A follower: a server stream whose name begins with `Watch`. It has no end of its own, and
    /// moves to another server when its server drains.
    package let isWatch: Bool
    /// The handler does much work or waits for a scarce resource, so it runs in a lane of its own.
    package let isCostly: Bool
    /// A client may send an idempotent call to a second server after this time without a response.
    package let hedgeAfter: Duration?
    /// Callers that may call all methods may not call this one: the callers list must name it.
    package let isForNamedCallersOnly: Bool

    /// The request has a field with the option `secret`. The memory it was read from is wiped after
    /// decoding, and the memory it was written to after sending.
    package let hasSecrets: Bool
    /// Browsers and phones may call it through the web service.
    package let isPublic: Bool
    /// What the calling session is to a method of the gateway.
    package let session: Session
    /// A repeat with the same idempotency key gets the first response: the method's errors in the
    /// `.proto` name `auth/idempotency-key-reused`.
    package let remembersRepeats: Bool
    /// The service that implements a method of the gateway, which passes its calls on; nil where the
    /// gateway itself does, and for a method of another service.
    package let owner: Owner?
    /// What the gateway charges before it passes a call on; nil for nothing.
    package let limit: Limit?

    /// `postern.options.v1.Session`.
    package enum Session: Hashable, Sendable {
        /// The access token is not read.
        case none
        /// A call without one is a call outside a session.
        case optional
        /// It must be live.
        case required
        /// Its access token may have expired.
        case anyAge
    }

    /// `postern.options.v1.Owner`.
    package enum Owner: Hashable, Sendable {
        /// The identity service.
        case identity
        /// The session service.
        case session
    }

    /// `postern.options.v1.LimitedAction`.
    package enum Limit: Hashable, Sendable {
        /// A write of documents, or of a few rows of other kinds.
        case documentWrite
        /// Work on documents that is no write of its own.
        case documentWork
        /// A change of the display name, or a removal of the photo.
        case profileUpdate
        /// A check of a new password, for the client's address.
        case passwordCheck
        /// A removal of a sign-in method.
        case unlink
        /// A request to delete the caller's account.
        case deletion
        /// An upload of a photo.
        case photoUpload
        /// An upload of a guest's data.
        case guestBundle
        /// A registration of a device for push messages, or a new token of one.
        case pushDevice
        /// A push message of a backend, for the account that its request names.
        case push
        /// A call of a backend about an account that it manages, for the backend.
        case backendAccount
    }

    /// A method's description.
    package init(
        name: String, isIdempotent: Bool, timeout: Duration, isOnLoop: Bool,
        streams: Streams = .none, isCostly: Bool = false, hedgeAfter: Duration? = nil,
        isForNamedCallersOnly: Bool = false, hasSecrets: Bool = false,
        isPublic: Bool = false, session: Session = .none,
        remembersRepeats: Bool = false, owner: Owner? = nil, limit: Limit? = nil
    ) {
        self.streams = streams
        rpcName = name.split(separator: "/").last.map(String.init) ?? name
        isWatch = streams == .response && rpcName.hasPrefix("Watch")
        self.name = name
        self.isIdempotent = isIdempotent
        self.timeout = timeout
        self.isOnLoop = isOnLoop
        self.isCostly = isCostly
        self.hedgeAfter = hedgeAfter
        self.isForNamedCallersOnly = isForNamedCallersOnly
        self.hasSecrets = hasSecrets
        self.isPublic = isPublic
        self.session = session
        self.remembersRepeats = remembersRepeats
        self.owner = owner
        self.limit = limit
    }
}

/// A service with its methods and its descriptors for reflection.
package struct ServiceDescription: Sendable {
    /// Full name, for example `postern.session.v1.Sessions`.
    package let name: String
    /// The methods in the order of the `.proto`.
    package let methods: [MethodDescription]
    /// The codes of the error catalogue that a method has of its own, by the method's full name:
    /// the lines `// errors:` of the `.proto`, for tools. Descriptors carry no comments.
    package let errors: [String: [String]]
    /// The `.proto` file that declares the service, after those that it imports: each as the base64
    /// of a serialised `google.protobuf.FileDescriptorSet` of one file. Services share them.
    package let fileDescriptors: [String]

    /// A service's description.
    package init(
        name: String, methods: [MethodDescription], errors: [String: [String]] = [:],
        fileDescriptors: [String]
    ) {
        self.name = name
        self.methods = methods
        self.errors = errors
        self.fileDescriptors = fileDescriptors
    }

    /// The serialised `google.protobuf.FileDescriptorSet` of the service's file and its imports.
    package var fileDescriptorSet: [UInt8] {
        // Serialised sets, one after the other, are one set with the files of all.
        fileDescriptors.flatMap { Base64.decode($0.utf8) ?? [] }
    }
}
