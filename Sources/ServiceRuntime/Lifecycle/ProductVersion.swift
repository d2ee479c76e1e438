/// The version of Postern, incremented with each release.
package enum ProductVersion {
    /// Major, minor, patch.
    package static let text = "0.1.0"
}
