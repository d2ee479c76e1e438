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
    /// A client may send an idempotent call to a second server after this long without an answer.
    package let hedgeAfter: Duration?

    /// A method's description.
    package init(
        name: String, isIdempotent: Bool, timeout: Duration, isOnLoop: Bool,
        hedgeAfter: Duration? = nil
    ) {
        self.name = name
        self.isIdempotent = isIdempotent
        self.timeout = timeout
        self.isOnLoop = isOnLoop
        self.hedgeAfter = hedgeAfter
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
