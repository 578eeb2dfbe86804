# frozen_string_literal: true

# Installs a formula without Homebrew: the few words of its language that ours uses, with the same effects.
#
#     ruby formula.rb FORMULA PACKAGE RESOURCE PREFIX        PACKAGE: the npm archive; RESOURCE: a folder for `webgpu`
require "fileutils"
require "pathname"

FORMULA, PACKAGE, RESOURCE, PREFIX = ARGV

# The methods that Homebrew adds.
class Pathname
  def install(*names)
    mkpath
    names.flatten.each { |name| FileUtils.cp_r(name, self) }
  end

  def install_symlink(*paths)
    mkpath
    paths.flatten.each { |path| FileUtils.ln_s(path, self/path.basename) }
  end
end

module OS
  def self.mac? = RUBY_PLATFORM.include?("darwin")
end

module Hardware
  module CPU
    def self.intel? = RUBY_PLATFORM.start_with?("x86_64")
  end
end

# A formula's fields, and its folders.
class Formula
  %w[desc homepage url sha256 license depends_on].each { |field| define_singleton_method(field) { |*| nil } }
  def self.on_linux = yield
  def self.resource(_name) = yield
  def self.test = nil

  def prefix = Pathname(PREFIX)
  def libexec = prefix/"libexec"
  def bin = prefix/"bin"
  def man1 = prefix/"share/man/man1"
  def std_npm_args
    ["--loglevel=error", "--no-update-notifier", "--offline", "--global", "--prefix=#{libexec}", PACKAGE]
  end

  def system(*command, **options) = Kernel.system(*command, **options, exception: true)
  def resource(_name) = self
  def stage(&block) = Dir.chdir(RESOURCE, &block)

  def generate_completions_from_executable(program, shell_parameter_format:)
    %w[bash zsh fish].each { |shell| system program.to_s, "#{shell_parameter_format}#{shell}", out: File::NULL }
  end
end

load FORMULA
Gpusort.new.install
