extension BinaryInteger {
    /// Whether the failure with this number in a row, from 1, is logged: the first, the second, the
    /// fourth and so on, so that a long outage does not flood the log.
    package var isLoggedFailure: Bool { self & (self - 1) == 0 }
}
